/** The endpoints beyond the import itself (interface §10): lists, polling, ownership, codes, the audit trail, mails. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { createSendDigests } from '../../activities/send-digests.ts';
import type { ImportOutcome, ImportReport, OutcomePage, Submission } from '../../src/contract/types.ts';
import { MailUnavailable } from '../../src/domain/errors.ts';
import type { Mail, Mailer } from '../../src/notifications/mail/mailer.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { tokenOf } from '../support/tokens.ts';
import { call, download, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

interface AuditEvents {
  audit_events: {
    id: number;
    actor: string;
    action: string;
    submission_id: number | null;
    detail: unknown;
  }[];
}
interface Submissions {
  submissions: Submission[];
}

interface Session {
  status: string;
  regulator_session_message: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const yesterday = () => new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);

const stack = await startStack({
  env: {
    MAIL_DIGESTS: 'demo-client=a@company.example b@company.example, idle=c@company.example',
    PUBLIC_URL: 'https://import.example',
  },
});
const { imports } = stack;
const rejected = newProductId();
imports.reject(rejected);
const products = [newProductId(), rejected, newProductId()].map((productId) => ({ productId }));
/** Three products: two inserted, one rejected. */
const importId = (await imports.importProducts(products)).id;
await finished(stack, importId);
imports.restoreRegulator();

const get = async <D>(path: string) => (await call<D>(stack, 'GET', path)).body.data;

const events = (action: string) =>
  stack.sql<{ actor: string; import_id: number | null; submission_id: number | null; detail: unknown }>(
    `select actor, import_id, submission_id, detail from audit_event where action = '${action}' order by id`,
  );
const session = (method: string, path = '', json?: object) =>
  call<Session>(stack, method, `/regulator/session${path}`, { json });
const giveCode = (code: string) => session('POST', '/verification', { code });

describe('wrong verification codes', () => {
  it('end the login at the fifth, and each is recorded', async () => {
    await session('POST');
    for (const left of ['4 attempts left', '3 attempts left', '2 attempts left', '1 attempt left']) {
      const answer = await giveCode('wrong');
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(left)]);
      expect((await session('GET')).body.data.status).toBe('awaiting_verification_code');
    }
    expect((await giveCode('wrong')).body.message).toContain('Too many wrong verification codes');
    expect((await session('GET')).body.data.status).toBe('none');
    expect((await giveCode('wrong')).body.message).toContain('No login is waiting');
    expect((await events('regulator-session.wrong_code')).map(({ detail }) => detail)).toEqual(
      [4, 3, 2, 1, 0].map((attempts_left) => ({ attempts_left })),
    );
    expect(await events('regulator-session.login_ended')).toHaveLength(1);
  });

  it('at the same time are at most five', async () => {
    const asked = () => stack.count("audit_event where action = 'regulator-session.wrong_code'");
    const before = await asked();
    await session('POST');
    const answers = await Promise.all(Array.from({ length: 20 }, () => giveCode('wrong')));
    expect(answers.every(({ status }) => status === 400)).toBe(true);
    expect((await asked()) - before).toBe(5);
    expect((await session('GET')).body.data.status).toBe('none');
  });

  it('do not count for the next login', async () => {
    await session('POST');
    expect((await giveCode('wrong')).body.message).toContain('4 attempts left');
    await stack.logIn();
    expect((await session('GET')).body.data.status).toBe('active');
  });
});

describe('the trail', () => {
  interface Trail {
    audit_events: { id: number; action: string }[];
    next_before: number | null;
  }
  const trail = async (query: string) =>
    (await call<Trail>(stack, 'GET', `/regulator/audit-events?${query}`)).body.data;

  it('is filtered by one action or several, newest first, page by page', async () => {
    await session('POST');
    await giveCode('wrong');
    await session('DELETE');
    const asked = 'regulator-session.login,%20regulator-session.logout';
    const all = await trail(`action=${asked}&limit=100`);
    expect(all.audit_events.slice(0, 2).map(({ action }) => action)).toEqual([
      'regulator-session.logout',
      'regulator-session.login',
    ]);
    const first = await trail(`action=${asked}&limit=1`);
    const second = await trail(`action=${asked}&limit=1&before=${first.next_before}`);
    expect([...first.audit_events, ...second.audit_events]).toEqual(all.audit_events.slice(0, 2));
    const one = await trail('action=regulator-session.login');
    expect(new Set(one.audit_events.map(({ action }) => action))).toEqual(
      new Set(['regulator-session.login']),
    );
    expect((await trail('action=regulator-session')).audit_events).toEqual([]);
    const byActor = async (actor: string) => (await trail(`actor=${actor}&limit=1`)).audit_events;
    expect(await byActor('client:nobody')).toEqual([]);
    expect(await byActor('client:demo-client')).toMatchObject([{ action: 'regulator-session.logout' }]);
    await stack.logIn();
  });
});

describe('a read event', () => {
  it('is recorded once an hour for an operator who reads the import of another client, and never for its owner', async () => {
    const owner = await tokenOf(stack, 'owner');
    const zip = await zipOf({ [productPath('a')]: productXml(), [productPath('b')]: '<broken' });
    const { data } = (await upload(stack, zip, { token: owner })).body;
    const [submission] = data.submissions;
    const paths = [
      `/regulator/package-imports/${data.id}`,
      `/regulator/package-imports/${data.id}?view=summary`,
      `/regulator/package-imports/${data.id}/files.jsonl`,
      `/regulator/submissions/${submission?.id}`,
      '/regulator/package-imports',
      '/regulator/submissions',
    ];
    for (const path of paths) await call(stack, 'GET', path, { token: owner });
    for (const path of [...paths, ...paths]) await call(stack, 'GET', path);
    await (await download(stack, `/regulator/submissions/${submission?.id}/xml`)).body?.cancel();
    const actor = 'client:demo-client';
    const ofSubmission = { actor, import_id: data.id, submission_id: submission?.id };
    expect(await events('import.read')).toMatchObject([{ actor, import_id: data.id }]);
    expect(await events('submission.read')).toMatchObject([ofSubmission]);
    expect(await events('submission.xml_read')).toMatchObject([ofSubmission]);
    expect(await events('import.list_read')).toMatchObject([{ actor }]);
    expect(await events('submission.list_read')).toMatchObject([{ actor }]);
  });

  it('is recorded for downloads of a repair pack', async () => {
    const owner = await tokenOf(stack, 'owner');
    const zip = await zipOf({ [productPath('b')]: '<broken' });
    const { data } = (await upload(stack, zip, { token: owner })).body;
    await eventually(async () => {
      const path = `/regulator/package-imports/${data.id}/repair-pack`;
      const pack = await download(stack, path, { token: owner });
      await pack.body?.cancel();
      return pack.status === 200;
    });
    expect(await events('import.repair_pack_read')).toMatchObject([
      { actor: 'client:owner', import_id: data.id },
    ]);
  });
});

describe('lists', () => {
  it('of submissions filter by import, product and status', async () => {
    const of = async (query: string) =>
      (await get<Submissions>(`/regulator/submissions?${query}`)).submissions.map(
        ({ product_id }) => product_id,
      );
    expect(await of(`import_id=${importId}`)).toHaveLength(3);
    expect(await of(`import_id=${importId}&status=regulator_insert_failed`)).toEqual([rejected]);
    expect(await of(`product_id=${rejected}`)).toEqual([rejected]);
    expect(await of(`product_id=${rejected}&status=regulator_inserted`)).toEqual([]);
  });
});

describe('polling', () => {
  it('can leave out the products of a large import', async () => {
    const path = `/regulator/package-imports/${importId}`;
    const [full, summary] = [await get<ImportReport>(path), await get<object>(`${path}?view=summary`)];
    const { id, comment, zip_file, status, failure_reason, completed_at, progress } = full;
    const { failure_code, actions, cancellation } = full;
    const sent = { client_id: 'demo-client', file_name: 'package.zip' };
    const warned = full.submissions.filter(({ warnings }) => warnings.length > 0).length;
    expect(summary).toEqual({
      id,
      ...sent,
      warned,
      refused: full.zip_import.failed.length,
      comment,
      zip_file,
      status,
      failure_reason,
      failure_code,
      completed_at,
      progress,
      actions,
      cancellation,
      read_at: expect.any(String),
      notification: full.notification,
      retried: false,
    });
  });

  it('lists the outcome of each file in pages, with the reasons of the report', async () => {
    const path = `/regulator/package-imports/${importId}`;
    const report = await get<ImportReport>(path);
    const outcomes: ImportOutcome[] = [];
    let counts: OutcomePage['counts'] = null;
    for (let before: string | null = ''; before !== null; ) {
      const page: OutcomePage = await get(`${path}/outcomes?limit=1${before && `&before=${before}`}`);
      outcomes.push(...page.outcomes);
      counts = page.counts ?? counts;
      before = page.next_before;
    }
    const { failed, skipped_count } = report.zip_import;
    expect(counts?.by_outcome).toMatchObject({ refused: failed.length, skipped: skipped_count });
    const refused = outcomes.filter(({ outcome }) => outcome === 'refused');
    expect(refused.map(({ xml_file, reasons }) => ({ xml_file, reasons }))).toEqual(
      failed.map(({ xml_file, reasons }) => ({ xml_file, reasons })),
    );
    const submissions = outcomes.flatMap(({ submission }) => submission ?? []);
    expect(submissions.toSorted((a, b) => a.id - b.id)).toEqual(report.submissions);
  });
});

describe('the audit trail', () => {
  it('lists who changed a submission', async () => {
    const productId = newProductId();
    imports.reject(productId);
    const failed = await imports.importOne({ productId });
    await finished(stack, failed.importId);
    imports.restoreRegulator();
    // The insert ends after its start is recorded.
    imports.takeRegulatorAway();
    await imports.run(failed.submissionId);
    imports.restoreRegulator();
    await imports.reached(failed.submissionId, 'regulator_inserted');
    const { audit_events } = await get<AuditEvents>(
      `/regulator/audit-events?submission_id=${failed.submissionId}`,
    );
    const told = audit_events
      .map(({ actor, action }) => [actor.split(/[:/]/, 2).join(':'), action])
      .reverse();
    const run = `workflow:regulator-insert-${productId}`;
    expect(told[0]?.[1]).toBe('submission.regulator_inserting');
    // The run may begin before its start is recorded. Its beginning is then in the trail, too.
    const beginning = [run, 'submission.regulator_inserting'].join();
    expect(told.slice(1).filter((entry) => entry.join() !== beginning)).toEqual([
      [run, 'submission.regulator_insert_failed'],
      ['client:demo-client', 'submission.regulator_inserting'],
      [run, 'submission.regulator_inserted'],
    ]);
    expect(
      audit_events.find(({ action }) => action === 'submission.regulator_insert_failed')?.detail,
    ).toMatchObject({ from: 'regulator_inserting', reason: expect.stringContaining('Rejected on request') });
  });
});

describe('the product file of a submission', () => {
  const pathOf = (id: number) => `/regulator/submissions/${id}/xml`;
  async function submissionOf(xml: string) {
    const answer = await upload(stack, await zipOf({ [productPath('a')]: xml }));
    const { submissions } = await finished(stack, answer.body.data.id);
    return submissions[0]?.id ?? 0;
  }

  it('equals the uploaded file', async () => {
    const xml = productXml({ brand: 'Crème brûlée' });
    const id = await submissionOf(xml);
    const response = await download(stack, pathOf(id));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/xml');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="a.xml"');
    expect(await response.text()).toBe(xml);
    expect((await call(stack, 'GET', pathOf(1_000_000))).status).toBe(404);
  });

  it('is gone after retention has removed it', async () => {
    const id = await submissionOf(productXml());
    await stack.sql(`update submission set raw_xml = null where id = ${id}`);
    const message = `The product file of submission ${id} has been removed. Export it again.`;
    expect(await call(stack, 'GET', pathOf(id))).toMatchObject({ status: 410, body: { message } });
    await stack.sql(`update zip_import set archive_removed_at = '2026-01-02'
       where id = (select zip_import_id from submission where id = ${id})`);
    const after = await call(stack, 'GET', pathOf(id));
    expect(after.status).toBe(410);
    expect(after.body.message).toContain('was removed on 2026-01-02');
  });
});

describe('the summary e-mail', () => {
  it('that the mail server refuses shows the reason in the import', async () => {
    stack.mailbox.refuseWith(550);
    const { id, notification } = await imports.importProducts([{ productId: newProductId() }]);
    expect(notification).toEqual({ email: 'person@company.example', status: 'pending' });
    const after = await finished(stack, id);
    stack.mailbox.refuseWith(null);
    expect(after.notification).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/^The mail server refused the mail \(550.*\): .*550/),
    });
  });

  it('that was sent has no error', async () => {
    const { notification } = await get<ImportReport>(`/regulator/package-imports/${importId}`);
    expect(notification).toEqual({ email: 'person@company.example', status: 'sent', error: null });
  });
});

// Decision §mails: one mail a day about a client's imports, to subscribers only, and none about a day without imports.
it('a digest lists the imports of the day before, imports to act on first', async () => {
  const bad = newProductId();
  imports.reject(bad);
  const first = await imports.importProducts([{ productId: bad }, { productId: newProductId() }]);
  await finished(stack, first.id);
  imports.restoreRegulator();
  const second = await imports.importOne();
  const today = await imports.importOne();
  for (const id of [second.importId, today.importId]) await finished(stack, id);
  await stack.sql(
    `update zip_import set completed_at = '${yesterday()}T23:59:59.999Z' where id in (${first.id}, ${second.importId})`,
  );
  await stack.temporal.schedule.getHandle('package-import-mail-digests').trigger();
  const mail = await eventually(async () =>
    (await stack.mailbox.store.list()).find(({ subject }) => subject.startsWith('Package imports of')),
  );
  expect(mail.subject).toBe(`Package imports of ${yesterday()}: 2 imports of demo-client`);
  expect(mail.to).toEqual(['a@company.example', 'b@company.example']);
  expect(mail.messageId).toMatch(
    new RegExp(`^<package-imports-${yesterday()}-[0-9a-f]{32}@company.example>$`),
  );
  const lines = mail.text.split('\n');
  const at = (id: number) => lines.findIndex((line) => line.startsWith(`  ${id}  `));
  expect(at(first.id)).toBeLessThan(at(second.importId));
  expect(lines[at(first.id) + 1]).toBe('    1 inserted, 1 not inserted, 0 files refused');
  expect(lines[at(first.id) + 2]).toBe(`    https://import.example/app/imports/${first.id}`);
  expect(at(today.importId)).toBe(-1);
  const all = await stack.mailbox.store.list();
  expect(all.filter(({ to }) => to.includes('c@company.example'))).toEqual([]);
});

it('digests continue after a failed attempt: each client gets one, without waiting for another client', async () => {
  const sent: Mail[] = [];
  const failing = new Set(['b@company.example']);
  const mailer: Mailer = {
    async send(mail) {
      if (mail.to.some((address) => failing.has(address))) throw new MailUnavailable('away', 'no answer');
      sent.push(mail);
      return { refused: [] };
    },
    close() {},
  };
  const sendDigests = createSendDigests({
    database: { digests: { ofDay: async () => ({ imports: [], total: 300 }) } },
    mailer,
    mailDomain: 'company.example',
    digests: ['a', 'b', 'c'].map((clientId) => ({ clientId, addresses: [`${clientId}@company.example`] })),
    importScreen: () => null,
  });
  let details: unknown;
  const first = new MockActivityEnvironment();
  first.on('heartbeat', (heartbeat) => {
    details = structuredClone(heartbeat);
  });
  await expect(first.run(sendDigests, { day: '2026-01-31' })).rejects.toThrow('away');
  failing.clear();
  const second = new MockActivityEnvironment({ heartbeatDetails: details });
  expect(await second.run(sendDigests, { day: '2026-01-31' })).toEqual({ sent: 3, refused: 0 });
  expect(sent.map(({ to }) => to[0])).toEqual(['a', 'c', 'b'].map((name) => `${name}@company.example`));
  expect(sent[0]?.text).toContain('300 more imports');
});
