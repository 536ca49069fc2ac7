/** The endpoints beyond the import itself (interface §10): lists, polling, ownership, the audit trail. */
import { describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/contract/operations.ts';
import type { ImportReport, ImportSummary, Submission } from '../../src/contract/types.ts';
import { newProductId, packageOf, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { CLIENT_PERMISSIONS, tokenOf } from '../support/tokens.ts';
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
interface Imports {
  imports: ImportSummary[];
}
interface Submissions {
  submissions: Submission[];
}

const stack = await startStack();
const { imports } = stack;
const foreign = await tokenOf(stack, 'foreign-client');
const rejected = newProductId();
imports.reject(rejected);
const products = [newProductId(), rejected, newProductId()].map((productId) => ({ productId }));
/** Three products: two inserted, one rejected. */
const importId = (await imports.importProducts(products)).id;
await finished(stack, importId);
imports.restoreRegulator();

const get = async <D>(path: string, token?: string) =>
  (await call<D>(stack, 'GET', path, token === undefined ? {} : { token })).body.data;
const foreignImport = async () => {
  return (await upload(stack, await packageOf({}), { token: foreign })).body.data;
};

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

describe('ownership', () => {
  it('hides imports and submissions of other clients, as if they did not exist', async () => {
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
  it('can leave out the products of a large import', async () => {
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

  it('is for operators only', async () => {
    const token = await tokenOf(stack, 'client', CLIENT_PERMISSIONS);
    const answer = await call(stack, 'GET', '/regulator/audit-events', { token });
    expect(answer.status).toBe(403);
    expect(answer.body.message).toContain(PERMISSIONS.operate);
  });
});

describe('the product file of a submission', () => {
  const pathOf = (id: number) => `/regulator/submissions/${id}/xml`;
  async function submissionOf(xml: string) {
    const answer = await upload(stack, await zipOf({ [productPath('a')]: xml }));
    const { submissions } = await finished(stack, answer.body.data.id);
    return submissions[0]?.id ?? 0;
  }

  it('equals the uploaded file, and is visible only to its owner', async () => {
    const xml = productXml({ brand: 'Crème brûlée' });
    const id = await submissionOf(xml);
    const response = await download(stack, pathOf(id));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/xml');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="a.xml"');
    expect(await response.text()).toBe(xml);
    expect((await call(stack, 'GET', pathOf(id), { token: foreign })).status).toBe(404);
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
