/** What can be done with a package import as a whole: cancelling it, and running again what is left of it. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import { NotFound } from '../../domain/errors.ts';
import { GREATEST_ID } from '../../domain/ids.ts';
import { CANCEL_ACTION } from '../../domain/import-actions.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import { INSERT_PROCESS } from '../../domain/submission.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { requireSession } from '../middleware/require-session.ts';
import { ownedBy, visibleSubmitters } from '../ownership.ts';
import { NOTHING_RETRIED, presentRetry, type RetryPage, retryMessage } from '../presenters/import-retry.ts';
import { createReadTrail } from '../read-trail.ts';
import { createSummaries } from '../reports/summaries.ts';
import { defineRoute, type RouteRequest } from '../route.ts';
import { idParams, pageQuery } from '../schemas/common.ts';
import { importRetry } from '../schemas/import-retry.ts';
import { importSummary } from '../schemas/package-import.ts';
import type { Caller } from '../tokens/access-token.ts';

const path = '/regulator/package-imports/{id}/actions';
const tag = 'Package imports';

const limitQuery = z.object({ limit: pageQuery.shape.limit });
const resultsQuery = z.object({
  ...limitQuery.shape,
  after: z.coerce.number().int().min(0).max(GREATEST_ID).default(0).meta({
    description: 'Only what comes behind this submission: `next_after` of the last page',
  }),
});

/** For which the answer waits for its first page; what has no result by then is to come. */
const LONGEST_WAIT_MS = 10_000;
const LOOK_MS = 100;

type Page = z.infer<typeof resultsQuery>;

export function importActionRoutes({
  database,
  importWorkflows,
  retryWorkflows,
  sessions,
}: GatewayDependencies) {
  const { imports, importRetries } = database;
  const reads = createReadTrail(database.auditTrail);
  const summarize = createSummaries(database);

  const find = async (caller: Caller, id: number) =>
    ownedBy(caller, await imports.find(id), 'Package import', id);

  /** Null where there is nothing that was run. */
  async function page(caller: Caller, id: number, { limit, after }: Page): Promise<RetryPage | null> {
    const { comment } = await find(caller, id);
    const retry = await importRetries.last(id);
    if (!retry) return null;
    const view = { importId: id, submitters: visibleSubmitters(caller) };
    // In this order: when nothing is to come any more, all results are there.
    const counts = await importRetries.counts(view);
    const results = await importRetries.results(view, { after, limit: limit + 1 });
    return { retry, counts, results, comment: comment ?? null };
  }

  /** The first page, as soon as it is whole or the time is up. */
  async function firstPage(caller: Caller, id: number, limit: number): Promise<RetryPage> {
    for (const until = performance.now() + LONGEST_WAIT_MS; ; await pause(LOOK_MS)) {
      const first = await page(caller, id, { limit, after: 0 });
      if (!first) throw new NotFound('Retry of package import', id);
      const isWhole = first.results.length >= limit || first.counts.pending === 0;
      if (isWhole || performance.now() > until) return first;
    }
  }

  /** What is recorded is done, if not now: the reconciler looks twice a minute (architecture §the-reconciler). */
  const orLater = (log: RouteRequest<unknown, unknown, unknown>['log'], what: string) => (error: unknown) =>
    log.warn({ err: error }, `${what} is left to the reconciler`);

  return [
    defineRoute({
      method: 'post',
      path: `${path}/${CANCEL_ACTION}`,
      operationId: 'postImportCancellation',
      tag,
      summary: 'Cancel an import that is under way',
      description:
        'Inserts under way end after the call to the regulator that they are in, as failed; what has been inserted ' +
        'stays; what was not begun is not queued. The summary goes out and says who has cancelled. Asking again changes nothing.',
      permission: PERMISSIONS.importPackage,
      params: idParams,
      answers: { 202: { description: 'It is being cancelled, or was', data: importSummary } },
      errors: { 404: 'No such import, or not yours', 409: 'The import is over' },
      async handle({ caller, params: { id }, log }) {
        const before = await find(caller, id);
        const isOpen = await imports.requestCancel(id, caller.actor);
        if (!isOpen && before.status !== 'cancelled')
          throw notAvailable(CANCEL_ACTION, id, await find(caller, id));
        if (isOpen) await importWorkflows.cancel(before.uuid).catch(orLater(log, 'the cancellation'));
        const after = await find(caller, id);
        const data = (await summarize(caller, [after]))(after);
        const state = data.completed_at === null ? 'is being cancelled' : `is ${data.status}`;
        return { message: `Package import ${id} ${state}.`, data };
      },
    }),
    defineRoute({
      method: 'post',
      path: `${path}/${INSERT_PROCESS}`,
      operationId: 'postImportRetry',
      tag,
      summary: 'Run again what failed or was not queued',
      description:
        'Everything that offers `regulator-insert` now is recorded and then started one after the other, also when ' +
        'nobody waits any more. The answer has the first results; further ones are at the same address (GET). While it ' +
        'is under way, or its inserts are and nothing else can be run, asking again gets the same.',
      permission: PERMISSIONS.runSubmissions,
      params: idParams,
      query: limitQuery,
      answers: { 202: { description: 'It is under way, or there is nothing to run', data: importRetry } },
      errors: {
        404: 'No such import, or not yours',
        409: 'The import has not been queued yet, could not be read, or is being cancelled',
        412: 'No active regulator session',
      },
      before: [requireSession(sessions)],
      async handle({ caller, params: { id }, query: { limit }, log }) {
        const record = await find(caller, id);
        if (isEnding(record) || record.status === 'extracting' || record.status === 'failed')
          throw notAvailable(INSERT_PROCESS, id, record);
        const { clientId, actor } = caller;
        const retry = await importRetries.begin({
          importId: id,
          clientId,
          actor,
          submitters: visibleSubmitters(caller),
        });
        if (!retry)
          return { message: `There is nothing to run again in package import ${id}.`, data: NOTHING_RETRIED };
        const toStart = { importId: id, retryUuid: retry.uuid, clientId: retry.clientId };
        if (retry.endedAt == null)
          await retryWorkflows.start(toStart).catch(orLater(log, 'running it again'));
        const first = await firstPage(caller, id, limit);
        return { message: retryMessage(id, first.counts), data: presentRetry(first, { limit, after: 0 }) };
      },
    }),
    defineRoute({
      method: 'get',
      path: `${path}/${INSERT_PROCESS}`,
      operationId: 'getImportRetry',
      tag,
      summary: 'How far it is with what was run again last, and the results',
      permission: PERMISSIONS.readImports,
      params: idParams,
      query: resultsQuery,
      answers: { 200: { description: 'One page of results, in archive order', data: importRetry } },
      errors: { 404: 'No such import, or not yours, or nothing of it was run again' },
      async handle({ caller, params: { id }, query }) {
        const { clientId } = await find(caller, id);
        await reads.note(caller, clientId, { action: 'import.read', importId: id });
        const found = await page(caller, id, query);
        if (!found) throw new NotFound('Retry of package import', id);
        return { message: retryMessage(id, found.counts), data: presentRetry(found, query) };
      },
    }),
  ];
}

/** Its cancellation was asked for, and it is not over yet. */
function isEnding({ cancelRequestedAt, completedAt }: PackageImportRow): boolean {
  return cancelRequestedAt != null && completedAt == null;
}

function notAvailable(action: string, id: number, record: PackageImportRow): HttpError {
  const why = isEnding(record) ? 'it is being cancelled' : `it is ${record.status}`;
  return new HttpError('action_not_available', `${action} cannot be run on package import ${id}: ${why}.`, {
    data: { id },
  });
}
