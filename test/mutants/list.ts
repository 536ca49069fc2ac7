/**
 * The mutants of `npm run prove -- mutants`: rules of the service, changed as a sceptical reviewer would change them by
 * hand. A rule that moves or is rewritten makes its entry stale, and `npm test` fails until the entry follows.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Mutant {
  /** The rule that no longer holds, in the words of the service. */
  rule: string;
  /** Path below the root of the repository. No migration: the databases of the tests are copies of one. */
  file: string;
  /** Text that the file holds exactly once. */
  find: string;
  /** The changed text. It type-checks. */
  replace: string;
  /** The test files nearest to the rule. */
  tests: readonly string[];
}

export const MUTANTS: readonly Mutant[] = [
  // Bounds.
  {
    rule: 'XML may be nested 64 levels deep',
    file: 'src/products/xml/gate.ts',
    find: 'depth > XML_LIMITS.depth',
    replace: 'depth > XML_LIMITS.depth + 1',
    tests: ['test/products/hostile-xml.test.ts'],
  },
  {
    rule: 'a product file may have 4 MiB',
    file: 'activities/reading/product-files.ts',
    find: 'file.sizeBytes > limit',
    replace: 'file.sizeBytes > 2 * limit',
    tests: ['test/activities/reading/files.test.ts'],
  },
  {
    rule: 'entries of an archive do not overlap, not by a byte',
    file: 'src/archive/guards.ts',
    find: 'leastEnd <= entry.regionEnd',
    replace: 'leastEnd <= entry.regionEnd + 1',
    tests: ['test/archive/layout.test.ts'],
  },
  {
    rule: 'an entry is not inflated beyond its declared size',
    file: 'src/archive/entry-data.ts',
    find: 'if (size > entry.sizeBytes) break;',
    replace: 'if (size > 8 * entry.sizeBytes) break;',
    tests: ['test/archive/hostile-archives.test.ts'],
  },
  {
    rule: 'a file has at most 100 notes of a kind',
    file: 'src/domain/notes.ts',
    find: 'this.#notes.length >= this.#bounds.notes',
    replace: 'this.#notes.length > this.#bounds.notes',
    tests: ['test/domain/notes.test.ts'],
  },
  {
    rule: 'one program or person does not hold all memory for answers',
    file: 'src/gateway/quotas/read-budgets.ts',
    find: 'const SHARE_OF_AN_ACTOR = 1 / 4;',
    replace: 'const SHARE_OF_AN_ACTOR = 1;',
    tests: ['test/gateway/reads.test.ts'],
  },
  {
    rule: 'the people of one client do not hold all memory for answers',
    file: 'src/gateway/quotas/read-budgets.ts',
    find: 'const SHARE_OF_A_CLIENT = 3 / 4;',
    replace: 'const SHARE_OF_A_CLIENT = 1;',
    tests: ['test/gateway/reads.test.ts'],
  },
  {
    rule: 'an answer keeps its memory until the client has taken it',
    file: 'src/gateway/quotas/read-budgets.ts',
    find: 'for (const release of memories) release(bytes);',
    replace: 'for (const release of memories) release(bytes && undefined);',
    tests: ['test/gateway/reads.test.ts', 'test/gateway/stalled-readers.test.ts'],
  },
  {
    rule: '64 requests of a connection wait',
    file: 'src/http/pipelining.ts',
    find: 'queue.length > MAX_WAITING + 1',
    replace: 'queue.length > MAX_WAITING + 2',
    tests: ['test/http/server.test.ts'],
  },
  // Tokens and TLS.
  {
    rule: 'a token from the future is no longer valid for it',
    file: 'src/gateway/tokens/access-token.ts',
    find: 'Math.min(Number(said ?? Number.POSITIVE_INFINITY), Date.now() / 1000)',
    replace: 'Number(said ?? Date.now() / 1000)',
    tests: ['test/gateway/tokens.test.ts'],
  },
  {
    rule: 'a person is named by sub, not by a name that may change',
    file: 'src/gateway/tokens/access-token.ts',
    find: "typeof sub === 'string' && CLIENT_ID.test(sub) ? sub",
    replace: "typeof (username ?? sub) === 'string' ? String(username)",
    tests: ['test/gateway/callers.test.ts'],
  },
  {
    rule: 'an encrypted value is bound to its row',
    file: 'src/database/encryption.ts',
    find: 'JSON.stringify([table, column, row])',
    replace: 'JSON.stringify([table, column, typeof row])',
    tests: ['test/database/encryption.test.ts'],
  },
  {
    rule: 'a token has to say that it is an access token',
    file: 'src/gateway/tokens/access-token.ts',
    find: 'if (!acceptsPlain)',
    replace: 'if (acceptsPlain)',
    tests: ['test/gateway/tokens.test.ts'],
  },
  {
    rule: 'known keys outlive an outage of a day',
    file: 'src/gateway/tokens/token-keys.ts',
    find: 'age > OUTAGE_MS',
    replace: 'age > 2 * OUTAGE_MS',
    tests: ['test/gateway/token-keys.test.ts'],
  },
  {
    rule: 'redirects of the identity service are not followed',
    file: 'src/gateway/tokens/token-keys.ts',
    find: "redirect: 'manual'",
    replace: "redirect: 'follow'",
    tests: ['test/gateway/token-keys.test.ts'],
  },
  {
    rule: 'sslmode=require with an authority verifies it',
    file: 'src/database/connection-url.ts',
    find: "mode === 'require' && sslrootcert !== undefined ? 'verify-ca' : mode",
    replace: 'mode',
    tests: ['test/database/tls.test.ts'],
  },
  {
    rule: 'a database elsewhere is verified, not only encrypted',
    file: 'src/database/connection-url.ts',
    find: "mode === 'verify-ca' || mode === 'verify-full'",
    replace: "mode !== 'disable'",
    tests: ['test/config/hardening.test.ts'],
  },
  {
    rule: 'trial parts are refused where PUBLIC_URL opens the service',
    file: 'src/config/hardening.ts',
    find: 'PUBLIC_URL !== undefined && !isLoopback(',
    replace: 'PUBLIC_URL !== undefined && isLoopback(',
    tests: ['test/config/hardening.test.ts'],
  },
  {
    rule: 'webhooks reach no private address',
    file: 'src/notifications/webhooks/sender.ts',
    find: 'isLoopback(target.hostname) ? LOOPBACK',
    replace: "isLoopback(target.hostname) || target.port !== '' ? LOOPBACK",
    tests: ['test/notifications/webhooks/sender.test.ts'],
  },
  // Owners.
  {
    rule: 'a tenant lists its own imports only',
    file: 'src/gateway/ownership.ts',
    find: '  return { tenant: caller.tenant };',
    replace: '  return { clientId: caller.clientId };',
    tests: ['test/gateway/callers.test.ts'],
  },
  {
    rule: 'a token without submitters imports no product',
    file: 'src/domain/product.ts',
    find: 'submitters === null || submitters.includes',
    replace: 'submitters === null || submitters.length === 0 || submitters.includes',
    tests: ['test/gateway/callers.test.ts'],
  },
  {
    rule: 'the order of the submitters in a token makes no other tenant',
    file: 'src/gateway/tokens/access-token.ts',
    find: '[...new Set(submitters)].sort()',
    replace: '[...new Set(submitters)]',
    tests: ['test/gateway/callers.test.ts'],
  },
  // Orders and statuses.
  {
    rule: 'a case that was opened is used with a renewed session',
    file: 'activities/send-step.ts',
    find: '    submission.caseId = caseId;\n',
    replace: '',
    tests: ['test/activities/inserts.test.ts'],
  },
  {
    rule: 'the first canceller of an import is named',
    file: 'src/database/repositories/imports.ts',
    find: 'i.completed_at is null and i.cancel_requested_at is null\n',
    replace: 'i.completed_at is null\n',
    tests: ['test/database/import-retries.test.ts'],
  },
  {
    rule: 'an older submission does not overtake a newer one before its run has begun',
    file: 'src/database/repositories/insert-runs.ts',
    find: 'and newer is null and duplicate is null',
    replace: 'and duplicate is null',
    tests: ['test/database/insert-runs.test.ts'],
  },
  {
    rule: 'an earlier package that is read late does not overtake a later one',
    file: 'src/database/conditions.ts',
    find: 'and newer.zip_import_id > ',
    replace: 'and newer.zip_import_id <> ',
    tests: ['test/database/insert-runs.test.ts'],
  },
  {
    rule: 'a product refers to the attachment of its own package',
    file: 'src/database/repositories/referred-files.ts',
    find: 'and f.zip_import_id = ',
    replace: 'and f.zip_import_id <> ',
    tests: ['test/database/references.test.ts'],
  },
  {
    rule: 'a product refers to the attachment of the latest package, whichever was read last',
    file: 'src/database/repositories/referred-files.ts',
    find: 'order by f.zip_import_id desc, f.id desc',
    replace: 'order by f.id desc',
    tests: ['test/database/references.test.ts'],
  },
  {
    rule: 'a submission of a package that is being read offers no action',
    file: 'src/database/conditions.ts',
    find: "i.status = 'extracting' and i.read_at is null",
    replace: 'false',
    tests: ['test/database/insert-runs.test.ts'],
  },
  {
    rule: 'an import with unqueued products can be run again',
    file: 'src/database/conditions.ts',
    find: ".status in ('local', 'regulator_insert_failed')",
    replace: ".status in ('regulator_insert_failed')",
    tests: ['test/database/import-retries.test.ts'],
  },
  {
    rule: 'a message of partial results tells of products that were not queued',
    file: 'src/gateway/presenters/package-import.ts',
    find: 'failed === 0 && queueFailed === 0',
    replace: 'failed === 0',
    tests: ['test/gateway/presenters.test.ts'],
  },
  {
    rule: 'a reset import does not start what was refused',
    file: 'activities/import-records.ts',
    find: "(status === 'local' && !hasResult)",
    replace: "(status === 'local' && (!hasResult || args.retryFailed))",
    tests: ['test/activities/inserts.test.ts'],
  },
  {
    rule: 'a resumed import does not run failed products again',
    file: 'activities/import-records.ts',
    find: "(status === 'regulator_insert_failed' && args.retryFailed)",
    replace: "status === 'regulator_insert_failed'",
    tests: ['test/activities/inserts.test.ts'],
  },
  {
    rule: 'attachments are sent before the section that refers to them',
    file: 'activities/send-step.ts',
    find: 'for (const attachment of submission.attachments) {',
    replace: `await regulator.sendSection(token, caseId, step, section, options);
    for (const attachment of submission.attachments) {`,
    tests: ['test/activities/inserts.test.ts'],
  },
  {
    rule: 'later steps have higher priority',
    file: 'workflows/activity-proxies.ts',
    find: 'Math.max(1, LOWEST_PRIORITY - INSERT_STEPS.indexOf(step))',
    replace: 'Math.min(LOWEST_PRIORITY, 1 + INSERT_STEPS.indexOf(step))',
    tests: ['test/workflows/activity-proxies.test.ts'],
  },
  // Leases, slots, quotas.
  {
    rule: 'the files of a removed package count again for the next one',
    file: 'src/database/repositories/referred-files.ts',
    find: ' and by.archive_removed_at is null)',
    replace: ')',
    tests: ['test/database/client-quotas.test.ts'],
  },
  {
    rule: 'a step that is tried again lets uploads go first',
    file: 'activities/insert-waits.ts',
    find: 'return attempt > 1 ||',
    replace: 'return attempt > 2 ||',
    tests: ['test/activities/insert-waits.test.ts'],
  },
  {
    rule: 'a lease ends here before it ends in the database',
    file: 'src/domain/slot-leases.ts',
    find: 'askedAt + LEASE_MS - MARGIN_MS',
    replace: 'askedAt + LEASE_MS',
    tests: ['test/domain/slot-leases.test.ts'],
  },
  {
    rule: 'a worker without a heartbeat for ten seconds is absent',
    file: 'src/database/coordination/worker-heartbeats.ts',
    find: 'seen_at > ',
    replace: 'seen_at <> ',
    tests: ['test/database/worker-heartbeats.test.ts'],
  },
  {
    rule: 'the lease that was used last is used first',
    file: 'src/domain/slot-leases.ts',
    find: 'b.freeSince - a.freeSince',
    replace: 'a.freeSince - b.freeSince',
    tests: ['test/domain/slot-leases.test.ts'],
  },
  {
    rule: 'a returned slot serves the next call at once',
    file: 'src/database/coordination/regulator-slots.ts',
    find: `leases.free(lease, performance.now());
        handOverAndServe();`,
    replace: 'leases.free(lease, performance.now());',
    tests: ['test/database/regulator-limits.test.ts'],
  },
  {
    rule: 'a process obeys its own Retry-After at once',
    file: 'src/database/coordination/regulator-rate-limit.ts',
    find: `closed.invalidate();
      await db.run`,
    replace: 'await db.run',
    tests: ['test/database/regulator-limits.test.ts'],
  },
  {
    rule: 'renewing the session obeys the rate limit',
    file: 'src/regulator/rate-limited-regulator.ts',
    find: 'limited(undefined, () => regulator.renew(token))',
    replace: 'regulator.renew(token)',
    tests: ['test/regulator/session.test.ts'],
  },
  {
    rule: 'a slot of a client is renewed while it is held',
    file: 'src/database/coordination/client-limits.ts',
    find: 'leaseMs / 3',
    replace: 'leaseMs * 3',
    tests: ['test/database/client-quotas.test.ts'],
  },
  {
    rule: 'an upload reserves room for its attachments',
    file: 'src/gateway/upload/import-package.ts',
    find: '2 * announced',
    replace: 'announced',
    tests: ['test/gateway/quotas.test.ts'],
  },
  {
    rule: 'a stopping server waits for uploads',
    file: 'src/http/server.ts',
    find: '.some(isUpload)',
    replace: '.some((one) => !isUpload(one))',
    tests: ['test/http/server.test.ts'],
  },
  {
    rule: 'the summary to the configured recipient counts',
    file: 'src/gateway/upload/process-upload.ts',
    find: 'Number(defaultRecipient !== null)',
    replace: "Number(defaultRecipient === '')",
    tests: ['test/gateway/quotas.test.ts'],
  },
  {
    rule: 'a key used for another request is refused',
    file: 'src/database/repositories/idempotency.ts',
    find: 'first !== fingerprint',
    replace: "first !== fingerprint && first === ''",
    tests: ['test/database/idempotency.test.ts'],
  },
  // Retries and time.
  {
    rule: 'heartbeats end with the attempt',
    file: 'activities/activity-context.ts',
    find: '    clearInterval(timer);',
    replace: '    void timer;',
    tests: ['test/activities/attempts.test.ts'],
  },
  {
    rule: 'a retry that is given up starts no further ten products',
    file: 'activities/retry-products.ts',
    find: 'if (!(await importRetries.open(retryUuid))) break;',
    replace: 'await importRetries.open(retryUuid);',
    tests: ['test/activities/inserts.test.ts'],
  },
  {
    rule: 'a call that its caller ends is no outage',
    file: 'src/regulator/http-client.ts',
    find: '      signal?.throwIfAborted();\n',
    replace: '',
    tests: ['test/regulator/http-client.test.ts'],
  },
  {
    rule: 'a product is given up at its tenth attempt',
    file: 'activities/retry-products.ts',
    find: 'info.attempt >= ATTEMPTS',
    replace: 'info.attempt > ATTEMPTS',
    tests: ['test/activities/inserts.test.ts'],
  },
  {
    rule: 'a conflict at the regulator is not tried again',
    file: 'src/regulator/answers.ts',
    find: `    case 409:
`,
    replace: '',
    tests: ['test/regulator/http-client.test.ts'],
  },
  {
    rule: 'a receiver delays its message by an hour at most',
    file: 'activities/webhooks.ts',
    find: 'Math.min(asked, LONGEST_RETRY_AFTER_S)',
    replace: 'Math.max(asked, LONGEST_RETRY_AFTER_S)',
    tests: ['test/activities/webhooks.test.ts'],
  },
  {
    rule: 'histories hold no statement of the database',
    file: 'activities/failure-mapping.ts',
    find: "message.slice(message.lastIndexOf(' - ') + 1)",
    replace: 'message',
    tests: ['test/activities/attempts.test.ts'],
  },
  {
    rule: 'a lost batch is started again at once',
    file: 'workflows/run-batches.ts',
    find: 'if (lost > 1 &&',
    replace: 'if (lost > 0 &&',
    tests: ['test/replay/replay.test.ts'],
  },
  {
    rule: 'an import ends when the records say so, not when its children have closed',
    file: 'workflows/await-inserts.ts',
    find: 'if (progress.inserting === 0) return;',
    replace: 'if (progress.inserting === 0 || closedBefore) return;',
    tests: ['test/replay/replay.test.ts'],
  },
  {
    rule: 'a session is renewed only near its end',
    file: 'src/regulator/session.ts',
    find: 'left < RENEWAL_MS && left <',
    replace: 'left < RENEWAL_MS || left <',
    tests: ['test/regulator/session.test.ts'],
  },
  {
    rule: 'a verification code has five attempts',
    file: 'src/database/repositories/regulator-session.ts',
    find: 'const CODE_ATTEMPTS = 5;',
    replace: 'const CODE_ATTEMPTS = 6;',
    tests: ['test/database/regulator-session.test.ts'],
  },
  {
    rule: 'the reconciler leaves a run of the same submission alone',
    file: 'activities/reconcile.ts',
    find: '(current.runId === jobId || current.submissionId === submissionId)',
    replace: 'current.runId === jobId',
    tests: ['test/activities/scheduled.test.ts'],
  },
  {
    rule: 'an import that is being cancelled is not retried',
    file: 'src/database/repositories/begin-retry.ts',
    find: 'cancelRequestedAt != null && completedAt == null',
    replace: 'cancelRequestedAt != null && completedAt != null',
    tests: ['test/database/import-retries.test.ts'],
  },
  {
    rule: 'an attempt that is lost beside others does not count',
    file: 'activities/reading/limit-lost-attempts.ts',
    find: 'isShared ? lostAlone : lostAlone + 1',
    replace: 'isShared ? lostAlone + 1 : lostAlone + 1',
    tests: ['test/activities/attempts.test.ts'],
  },
  {
    rule: 'a package that was read cannot become unreadable',
    file: 'src/database/repositories/imports.ts',
    find: "{ id, status: 'extracting', readAt: null }",
    replace: "{ id, status: 'extracting' }",
    tests: ['test/database/records.test.ts'],
  },
  // Cleanup.
  {
    rule: 'an import that is read again keeps its attachments',
    file: 'src/database/repositories/referred-files.ts',
    find: " and status = 'failed' for no key update",
    replace: ' for no key update',
    tests: ['test/database/references.test.ts'],
  },
  {
    rule: 'a package that has become unreadable is closed',
    file: 'src/archive/product-files.ts',
    find: '    await stored.close();\n    throw error;',
    replace: '    throw error;',
    tests: ['test/archive/hostile-archives.test.ts'],
  },
  {
    rule: 'half files are kept while they are synced',
    file: 'src/archive/leftover-removal.ts',
    find: 'idleMs + SYNC_MS',
    replace: 'idleMs + SYNC_MS / 3',
    tests: ['test/archive/leftovers.test.ts'],
  },
  {
    rule: 'the ZIP of a repeated request is removed',
    file: 'src/gateway/upload/record-import.ts',
    find: 'upload.kept = !recorded.repeated;',
    replace: 'upload.kept = true;',
    tests: ['test/gateway/recording.test.ts'],
  },
  {
    rule: 'a check tells nothing of the presentations of another tenant',
    file: 'src/database/repositories/product-history.ts',
    find: 'shown on last.own',
    replace: 'shown on true',
    tests: ['test/end-to-end/history.test.ts'],
  },
  {
    rule: 'a previous product of another submitter is not looked up',
    file: 'src/products/compared-with-inserted.ts',
    find: 'submitterOf(previous) === submitterOf(product.productId)',
    replace: "submitterOf(previous) !== ''",
    tests: ['test/products/history-checks.test.ts'],
  },
  {
    rule: 'an incoming attachment is removed if its content is known',
    file: 'activities/reading/store-referred-files.ts',
    find: 'await storage.remove(incoming);',
    replace: '',
    tests: ['test/activities/reading/files.test.ts'],
  },
  {
    rule: 'packages of running uploads are no orphans',
    file: 'activities/retention.ts',
    find: 'storage.list(folder, ageMs)',
    replace: 'storage.list(folder, ageMs * 0)',
    tests: ['test/activities/scheduled.test.ts'],
  },
  {
    rule: 'files without a record stay if the database knows few of the archive',
    file: 'activities/retention.ts',
    find: 'records.size >= keys.length / 2',
    replace: 'records.size >= 0',
    tests: ['test/activities/scheduled.test.ts'],
  },
  {
    rule: 'packages of failed imports go after a week',
    file: 'activities/retention.ts',
    find: 'Date.now() - failedRetentionDays * DAY_MS',
    replace: 'Date.now() - 2 * failedRetentionDays * DAY_MS',
    tests: ['test/activities/scheduled.test.ts'],
  },
  // Mails and statistics.
  {
    rule: 'a summary leads to a repair pack for a single file',
    file: 'src/notifications/mail/summary.ts',
    find: 'toRepair > 0',
    replace: 'toRepair > 1',
    tests: ['test/notifications/mail/summary.test.ts'],
  },
  {
    rule: 'a summary says how to run unqueued products again',
    file: 'src/notifications/mail/summary.ts',
    find: "const toRetry = counts.failed + counts['not queued'];",
    replace: 'const toRetry = counts.failed;',
    tests: ['test/notifications/mail/summary.test.ts'],
  },
  {
    rule: 'a mail refused with 500 is not tried again',
    file: 'src/notifications/mail/mailer.ts',
    find: 'responseCode >= 500',
    replace: 'responseCode > 500',
    tests: ['test/notifications/mail/mailer.test.ts'],
  },
  {
    rule: 'a message counts products that failed, not files',
    file: 'activities/webhooks.ts',
    find: 'insert_failed: counts.insertFailed',
    replace: 'insert_failed: counts.failed',
    tests: ['test/activities/webhooks.test.ts'],
  },
  {
    rule: 'attachments of another client are unknown',
    file: 'src/database/repositories/referred-files.ts',
    find: 'where f.tenant =',
    replace: "where '' <>",
    tests: ['test/database/references.test.ts'],
  },
  {
    rule: 'a product that was not queued is not listed as waiting',
    file: 'src/database/repositories/import-outcomes.ts',
    find: 'else case when q.status <> ',
    replace: 'else case when q.status = ',
    tests: ['test/database/import-outcomes.test.ts'],
  },
  {
    rule: 'a page of outcomes begins after its place',
    file: 'src/database/repositories/import-outcomes.ts',
    find: 'sql`place > ',
    replace: 'sql`place >= ',
    tests: ['test/database/import-outcomes.test.ts'],
  },
];

/** The reason why a mutant cannot be made; null if it can. */
export async function staleReason(root: string, { file, find, replace }: Mutant): Promise<string | null> {
  const text = await readFile(join(root, file), 'utf8').catch(() => null);
  if (text === null) return `${file} does not exist`;
  if (find === replace) return 'it changes nothing';
  const times = text.split(find).length - 1;
  return times === 1 ? null : `${file} holds ${JSON.stringify(find)} ${times} times instead of once`;
}
