/** The endpoints beyond the import itself (interface §10): lists, polling, ownership, the audit trail. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/contract/permissions.ts';
import type { ImportReport, ImportSummary, Submission } from '../../src/contract/types.ts';
import { eventually } from '../support/eventually.ts';
import { importsOf } from '../support/imports.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { CLIENT_PERMISSIONS, tokenOf } from '../support/tokens.ts';
import { call, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

interface AuditEvents {
  audit_events: {
    id: number;
    actor: string;
    action: string;
    submission_id: number | null;
    detail: unknown;
  }[];
  next_before: number | null;
}
interface Imports {
  imports: ImportSummary[];
  next_before: number | null;
}
interface Submissions {
  submissions: Submission[];
  next_before: number | null;
}

let stack: TestStack;
let imports: ReturnType<typeof importsOf>;
let foreign: string;
/** Three products: two inserted, one rejected. */
let importId: number;
let rejected: string;
beforeAll(async () => {
  stack = await startTestStack();
  imports = importsOf(stack);
  foreign = await tokenOf(stack, 'foreign-client');
  rejected = newProductId();
  imports.reject(rejected);
  const products = [newProductId(), rejected, newProductId()].map((productId) => ({ productId }));
  importId = (await imports.importProducts(products)).id;
  await finished(stack, importId);
  imports.restoreRegulator();
});
afterAll(() => stack.stop());
afterEach(() => imports.restoreRegulator());

const get = async <D>(path: string, token?: string) =>
  (await call<D>(stack, 'GET', path, token === undefined ? {} : { token })).body.data;
const foreignImport = async () => {
  const productId = newProductId();
  const zip = await zipOf({ [productPath('a')]: productXml({ productId }) });
  return (await upload(stack, zip, { token: foreign })).body.data;
};

describe('lists', () => {
  it('are paged, newest first, without gaps', async () => {
    for (let more = 0; more < 3; more += 1) await finished(stack, (await imports.importOne()).importId);
    const all = (await get<Imports>('/regulator/package-imports')).imports.map(({ id }) => id);
    expect(all).toEqual([...all].sort((a, b) => b - a));
    const paged: number[] = [];
    let before: number | null = null;
    do {
      const page: Imports = await get<Imports>(
        `/regulator/package-imports?limit=2${before === null ? '' : `&before=${before}`}`,
      );
      expect(page.imports.length).toBeLessThanOrEqual(2);
      paged.push(...page.imports.map(({ id }) => id));
      before = page.next_before;
    } while (before !== null);
    expect(paged).toEqual(all);
  });

  it('of imports tell the progress of each, and filter by status', async () => {
    const { imports: completed } = await get<Imports>('/regulator/package-imports?status=completed');
    expect(completed.find(({ id }) => id === importId)).toMatchObject({
      status: 'completed',
      progress: { local: 0, regulator_inserting: 0, regulator_inserted: 2, regulator_insert_failed: 1 },
    });
    expect((await get<Imports>('/regulator/package-imports?status=failed')).imports).toEqual([]);
  });

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

  it.each([
    '/regulator/package-imports?limit=0',
    '/regulator/package-imports?limit=201',
    '/regulator/package-imports?before=x',
    '/regulator/package-imports?status=done',
    '/regulator/submissions?product_id=1',
    '/regulator/audit-events?actor=%00',
  ])('%s is refused with the parameter named', async (path) => {
    const answer = await call(stack, 'GET', path);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/limit|before|status|product_id|actor/);
  });
});

describe('ownership', () => {
  it('hides the imports and submissions of others, as if they did not exist', async () => {
    const [submission] = (await get<ImportReport>(`/regulator/package-imports/${importId}`)).submissions;
    expect((await get<Imports>('/regulator/package-imports', foreign)).imports).toEqual([]);
    expect(
      (await get<Submissions>(`/regulator/submissions?import_id=${importId}`, foreign)).submissions,
    ).toEqual([]);
    const paths = [
      `/regulator/package-imports/${importId}`,
      `/regulator/package-imports/${importId}?view=summary`,
      `/regulator/package-imports/${importId}/repair-pack`,
      `/regulator/submissions/${submission?.id}`,
    ];
    for (const path of paths)
      expect((await call(stack, 'GET', path, { token: foreign })).status, path).toBe(404);
    const action = `/regulator/submissions/${submission?.id}/actions/regulator-insert`;
    expect((await call(stack, 'POST', action, { token: foreign })).status).toBe(404);
  });

  it('shows operators everything', async () => {
    const { id } = await foreignImport();
    const ids = (await get<Imports>('/regulator/package-imports')).imports.map((one) => one.id);
    expect(ids).toContain(id);
    expect(ids).toContain(importId);
    expect((await get<Imports>('/regulator/package-imports', foreign)).imports.map((one) => one.id)).toEqual([
      id,
    ]);
    await finished(stack, id);
  });
});

describe('polling', () => {
  const ask = (path: string, etag: string) =>
    call(stack, 'GET', path, { headers: { 'If-None-Match': etag } });

  it.each(['', '?view=summary'])(
    'is answered 304 without a body until something changes (%s)',
    async (view) => {
      imports.takeRegulatorAway();
      const running = await imports.importOne();
      await eventually(
        async () => (await imports.insert(running.productId).describe()).raw.pendingActivities?.length,
      );
      const path = `/regulator/package-imports/${running.importId}${view}`;
      const etag = (await call(stack, 'GET', path)).headers.get('etag') ?? '';
      expect(etag).toMatch(/^W\/"[\w-]{43}"$/);
      const unchanged = await ask(path, etag);
      expect(unchanged.status).toBe(304);
      expect(unchanged.headers.get('etag')).toBe(etag);
      imports.restoreRegulator();
      await finished(stack, running.importId);
      const changed = await ask(path, etag);
      expect(changed.status).toBe(200);
      expect(changed.body.data).toMatchObject({ status: 'completed' });
    },
  );

  it('may leave the products of a large import out', async () => {
    const path = `/regulator/package-imports/${importId}`;
    const [full, summary] = [await get<ImportReport>(path), await get<object>(`${path}?view=summary`)];
    const { id, comment, zip_file, status, failure_reason, completed_at, progress } = full;
    const { actions, cancellation } = full;
    const sent = { client_id: 'demo-client', file_name: 'package.zip' };
    const warned = full.submissions.filter(({ warnings }) => warnings.length > 0).length;
    expect(summary).toEqual({
      id,
      ...sent,
      warned,
      comment,
      zip_file,
      status,
      failure_reason,
      completed_at,
      progress,
      actions,
      cancellation,
    });
  });
});

describe('the audit trail', () => {
  it('tells who did what to a submission', async () => {
    const productId = newProductId();
    imports.reject(productId);
    const failed = await imports.importOne({ productId });
    await finished(stack, failed.importId);
    imports.restoreRegulator();
    await imports.run(failed.submissionId);
    await imports.reached(failed.submissionId, 'regulator_inserted');
    const { audit_events } = await get<AuditEvents>(
      `/regulator/audit-events?submission_id=${failed.submissionId}`,
    );
    const told = audit_events
      .map(({ actor, action }) => [actor.split(/[:/]/, 2).join(':'), action])
      .reverse();
    const run = `workflow:regulator-insert-${productId}`;
    expect(told[0]?.[1]).toBe('submission.regulator_inserting');
    expect(told.slice(1)).toEqual([
      [run, 'submission.regulator_insert_failed'],
      ['client:demo-client', 'submission.regulator_inserting'],
      [run, 'submission.regulator_inserted'],
    ]);
    expect(
      audit_events.find(({ action }) => action === 'submission.regulator_insert_failed')?.detail,
    ).toMatchObject({ from: 'regulator_inserting', reason: expect.stringContaining('Rejected on request') });
  });

  it('tells of session actions, filters by actor and action, and is paged', async () => {
    const path = '/regulator/audit-events?action=import.created&limit=1';
    const first = await get<AuditEvents>(path);
    expect(first.audit_events).toMatchObject([{ action: 'import.created' }]);
    const second = await get<AuditEvents>(`${path}&before=${first.next_before}`);
    expect(second.audit_events[0]?.id).toBeLessThan(first.audit_events[0]?.id ?? 0);
    await call(stack, 'DELETE', '/regulator/session');
    const { audit_events } = await get<AuditEvents>(
      '/regulator/audit-events?actor=client:demo-client&limit=1',
    );
    expect(audit_events[0]?.action).toMatch(/^regulator-session\./);
    await stack.logIn();
  });

  it('is for operators only', async () => {
    const token = await tokenOf(stack, 'client', CLIENT_PERMISSIONS);
    const answer = await call(stack, 'GET', '/regulator/audit-events', { token });
    expect(answer.status).toBe(403);
    expect(answer.body.message).toContain(PERMISSIONS.operate);
  });
});

describe('the summary e-mail', () => {
  it('that the mail server refuses says why, where the import is read', async () => {
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
