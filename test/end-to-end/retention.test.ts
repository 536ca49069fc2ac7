/** Retention: removed data, kept data, and the answers afterwards (decision §retention). */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { RetentionResult } from '../../activities/retention.ts';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import { attachmentKey, checkKey, packageKey } from '../../src/archive/storage.ts';
import { NOTES_REMOVED } from '../../src/contract/reasons.ts';
import { eventually } from '../support/eventually.ts';
import {
  attachmentXml,
  newProductId,
  packageOf,
  productPath,
  productXml,
  REFERRED_ATTACHMENT,
} from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { resetRun } from '../support/temporal.ts';
import { somebodyWaitsForALock } from '../support/transactions.ts';
import { finished, report, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const NOTHING: RetentionResult = {
  packages: 0,
  attachments: 0,
  orphans: 0,
  checks: 0,
  leftovers: 0,
  unknown: 0,
  idempotencyKeys: 0,
  webhookDeliveries: 0,
  notes: 0,
  people: 0,
  addresses: 0,
};

const stack = await startStack({ env: { ARCHIVE_RETENTION_DAYS: '30' } });
const storage = createLocalStorage(fileURLToPath(stack.config.archive.url));
const { imports } = stack;

/** Triggers the schedule of retention. */
async function runRetention(): Promise<RetentionResult> {
  const schedule = stack.temporal.schedule.getHandle('package-import-retention');
  const taken = async () => (await schedule.describe()).info;
  const { numActionsTaken: before } = await taken();
  await schedule.trigger();
  const { recentActions } = await eventually(async () => {
    const info = await taken();
    return info.numActionsTaken > before ? info : null;
  });
  const workflow = recentActions.at(-1)?.action.workflow;
  return stack.temporal.workflow.getHandle(workflow?.workflowId ?? '').result() as Promise<RetentionResult>;
}

/** Dates the upload some days back. */
async function age(importId: number, days: number): Promise<void> {
  await stack.sql(
    `update zip_import set uploaded_at = uploaded_at - interval '${days} days' where id = ${importId}`,
  );
  await stack.sql(
    `update attachment set created_at = created_at - interval '${days} days' where zip_import_id = ${importId}`,
  );
}

/** Dates the file back by more than a week. */
async function ageFile(key: string): Promise<void> {
  const longAgo = new Date(Date.now() - 8 * 86_400_000);
  await utimes(storage.locate(key), longAgo, longAgo);
}

async function store(key: string, content = 'x'): Promise<{ key: string; sha256: string }> {
  const { sha256 } = await storage.put(key, Readable.from([Buffer.from(content)]));
  await ageFile(key);
  return { key, sha256 };
}

async function record(importId: number) {
  const found = await stack.database.imports.find(importId);
  if (!found) throw new Error(`no import ${importId}`);
  return found;
}

const rawXmlOf = (importId: number) =>
  stack.count(`submission where raw_xml is not null and zip_import_id = ${importId}`);

const attachment = (id: string, content: string) => attachmentXml(content, { id });
/** A product that references another attachment than `productXml` does. */
const referring = (id: string, productId = newProductId()) =>
  productXml({ productId, edit: (xml) => xml.replace(REFERRED_ATTACHMENT, id) });

/** Imports a product with an attachment that it references. Returns the key of the content. */
async function importWithAttachment(attachmentId: string, content: string, productId = newProductId()) {
  const zip = await zipOf({
    [productPath('a')]: referring(attachmentId, productId),
    'root/export/attachments/a.xml': attachment(attachmentId, content),
  });
  const { id } = (await upload(stack, zip)).body.data;
  const [row] = await stack.sql<{ sha256: string }>(
    `select sha256 from attachment where zip_import_id = ${id}`,
  );
  return { importId: id, productId, key: attachmentKey(row?.sha256 ?? '') };
}

/** Dates its attachments two days back. */
async function ageAttachments(importId: number): Promise<void> {
  await stack.sql(
    `update attachment set created_at = created_at - interval '2 days' where zip_import_id = ${importId}`,
  );
}

describe('the package of an import', () => {
  it('is removed after its retention period, with the raw XML; the records stay, and the failed product can be retried', async () => {
    const productId = newProductId();
    imports.reject(productId);
    const { importId: old, submissionId } = await imports.importOne({ productId });
    const { importId: young } = await imports.importOne();
    const before = await finished(stack, old);
    await finished(stack, young);
    imports.restoreRegulator();
    await age(old, 31);
    await age(young, 29);

    expect(await runRetention()).toEqual({ ...NOTHING, packages: 1 });

    const { storageKey, archiveRemovedAt } = await record(old);
    expect(archiveRemovedAt).not.toBeNull();
    expect(await storage.has(storageKey)).toBe(false);
    expect(await rawXmlOf(old)).toBe(0);
    const after = await report(stack, old);
    expect(after.submissions).toEqual(before.submissions);
    expect(after.zip_import).toEqual(before.zip_import);

    expect(await storage.has((await record(young)).storageKey)).toBe(true);
    expect((await record(young)).archiveRemovedAt).toBeNull();
    expect(await rawXmlOf(young)).toBe(1);

    expect(await runRetention()).toEqual(NOTHING);
    const events = await stack.sql<{ actor: string }>(
      `select actor from audit_event where import_id = ${old} and action = 'import.archive_removed'`,
    );
    expect(events).toEqual([{ actor: 'service:retention' }]);
    expect((await imports.run(submissionId)).status).toBe(202);
    await imports.reached(submissionId, 'regulator_inserted');
  });

  it('stays while the import runs, however old it is', async () => {
    imports.takeRegulatorAway();
    const { importId } = await imports.importOne();
    await age(importId, 400);
    expect(await runRetention()).toEqual(NOTHING);
    expect(await storage.has((await record(importId)).storageKey)).toBe(true);
    expect(await rawXmlOf(importId)).toBe(1);
    imports.restoreRegulator();
    await finished(stack, importId);
    expect(await runRetention()).toEqual({ ...NOTHING, packages: 1 });
  });

  it('is not needed for a reset of the run, which finds everything read', async () => {
    const { importId, importUuid } = await imports.importOne();
    await finished(stack, importId);
    await age(importId, 31);
    expect(await runRetention()).toEqual({ ...NOTHING, packages: 1 });
    const before = await report(stack, importId);
    await resetRun(stack, imports.parent(importUuid).workflowId);
    expect(await imports.parent(importUuid).result()).toMatchObject({ created: 1, inserted: 1 });
    expect(await report(stack, importId)).toEqual(before);
  });

  it('is needed for a reset when its reading did not end, which fails with the reason', async () => {
    const { importId, importUuid } = await imports.importOne();
    await finished(stack, importId);
    await stack.sql(`update zip_import set read_at = null where id = ${importId}`);
    await age(importId, 31);
    expect(await runRetention()).toEqual({ ...NOTHING, packages: 1 });
    const before = await report(stack, importId);
    await resetRun(stack, imports.parent(importUuid).workflowId);
    await expect(imports.parent(importUuid).result()).rejects.toMatchObject({
      cause: { message: expect.stringContaining(`The package of import ${importId} was removed on`) },
    });
    expect(await report(stack, importId)).toEqual(before);
  });
});

describe('notes of files', () => {
  it('go after 91 days with their package, and a warning says so', async () => {
    const zip = await zipOf({
      [productPath('good')]: productXml(),
      [productPath('broken')]: productXml({ type: '99' }),
    });
    const { id } = (await upload(stack, zip)).body.data;
    await finished(stack, id);
    await age(id, 31);
    expect(await runRetention()).toEqual({ ...NOTHING, packages: 1 });
    expect((await report(stack, id)).zip_import).toMatchObject({ failed: [{ xml_file: 'broken.xml' }] });
    await age(id, 61);
    expect(await runRetention()).toEqual({ ...NOTHING, notes: 1 });
    const { zip_import, submissions } = await report(stack, id);
    expect(zip_import).toMatchObject({ failed: [], warnings: [{ text: NOTES_REMOVED }] });
    expect(submissions).toHaveLength(1);
    expect(await runRetention()).toEqual(NOTHING);
  });
});

describe('the content of an attachment', () => {
  const newId = () => randomUUID();

  it('is removed when there is a newer version and its packages are removed', async () => {
    const id = newId();
    const first = await importWithAttachment(id, `first ${id}`);
    const second = await importWithAttachment(id, `second ${id}`);
    await finished(stack, first.importId);
    await finished(stack, second.importId);
    await ageFile(first.key);
    await ageFile(second.key);
    expect(await runRetention()).toEqual(NOTHING);
    await age(first.importId, 31);
    await age(second.importId, 31);
    expect(await runRetention()).toEqual({ ...NOTHING, packages: 2, attachments: 1 });
    expect(await storage.has(first.key)).toBe(false);
    expect(await storage.has(second.key)).toBe(true);

    const { data } = (await upload(stack, await zipOf({ [productPath('a')]: referring(id) }))).body;
    const after = await finished(stack, data.id);
    expect(after.submissions[0]).toMatchObject({ status: 'regulator_inserted', warnings: [] });
  });

  it('stays until it is sent to the regulator with a product that refers to it', async () => {
    const [id, productId] = [newId(), newProductId()];
    imports.reject(productId, 'init_validate');
    const first = await importWithAttachment(id, `first ${id}`, productId);
    const { submissions } = await finished(stack, first.importId);
    const second = await importWithAttachment(id, `second ${id}`);
    await finished(stack, second.importId);
    await ageFile(first.key);
    await age(first.importId, 31);
    await age(second.importId, 29);
    expect(await runRetention()).toEqual({ ...NOTHING, packages: 1 });
    expect(await storage.has(first.key)).toBe(true);

    imports.restoreRegulator();
    await imports.run(submissions[0]?.id ?? 0);
    await imports.reached(submissions[0]?.id ?? 0, 'regulator_inserted');
    expect(await runRetention()).toEqual({ ...NOTHING, attachments: 1 });
    expect(await storage.has(first.key)).toBe(false);
  });

  it('is removed when only a superseded product refers to it', async () => {
    const [id, productId] = [newId(), newProductId()];
    imports.reject(productId, 'init_validate');
    const old = await importWithAttachment(id, `old ${id}`, productId);
    await finished(stack, old.importId);
    await ageFile(old.key);
    await age(old.importId, 31);
    expect(await runRetention()).toEqual({ ...NOTHING, packages: 1 });
    imports.restoreRegulator();
    const recent = await importWithAttachment(id, `new ${id}`, productId);
    await finished(stack, recent.importId);
    await ageAttachments(recent.importId);
    expect(await runRetention()).toEqual({ ...NOTHING, attachments: 1 });
    expect(await storage.has(old.key)).toBe(false);
    expect(await storage.has(recent.key)).toBe(true);
  });

  it('is removed after a day, with its record, when no product refers to it', async () => {
    const [referred, spare] = [newId(), newId()];
    const zip = await zipOf({
      [productPath('a')]: referring(referred),
      'root/export/attachments/a.xml': attachment(referred, `content ${referred}`),
      'root/export/attachments/b.xml': attachment(spare, `content ${spare}`),
    });
    const { id } = (await upload(stack, zip)).body.data;
    await finished(stack, id);
    const keptBytes = () =>
      stack.sql(`select attachment_bytes::int as bytes from zip_import where id = ${id}`);
    expect(await keptBytes()).toEqual([{ bytes: 2 * `content ${spare}`.length }]);
    const [keptKey, spareKey] = [referred, spare].map((one) =>
      attachmentKey(createHash('sha256').update(`content ${one}`).digest('hex')),
    );
    for (const key of [keptKey, spareKey]) await ageFile(key ?? '');
    expect(await runRetention()).toEqual(NOTHING);
    await ageAttachments(id);
    expect(await runRetention()).toEqual({ ...NOTHING, attachments: 1 });
    expect(await storage.has(keptKey ?? '')).toBe(true);
    expect(await storage.has(spareKey ?? '')).toBe(false);
    expect(await stack.sql(`select attachment_id from attachment where zip_import_id = ${id}`)).toEqual([
      { attachment_id: referred },
    ]);
    expect(await keptBytes()).toEqual([{ bytes: `content ${spare}`.length }]);
  });

  it('stays without a reference while a file of its package may be corrected', async () => {
    const spare = newId();
    const zip = await zipOf({
      [productPath('broken')]: productXml({ type: '99' }),
      'root/export/attachments/b.xml': attachment(spare, `content ${spare}`),
    });
    const { id } = (await upload(stack, zip)).body.data;
    await finished(stack, id);
    const key = attachmentKey(createHash('sha256').update(`content ${spare}`).digest('hex'));
    await ageFile(key);
    await ageAttachments(id);
    expect(await runRetention()).toEqual(NOTHING);
    await age(id, 31);
    expect(await runRetention()).toEqual({ ...NOTHING, packages: 1, attachments: 1 });
    expect(await storage.has(key)).toBe(false);
  });

  it('is removed with a damaged package, unless another package has brought it too', async () => {
    const [shared, own] = [newId(), newId()];
    const { key: sharedKey, importId } = await importWithAttachment(shared, `shared ${shared}`);
    await finished(stack, importId);
    const zip = await zipOf({
      'root/export/attachments/a.xml': attachment(newId(), `shared ${shared}`),
      'root/export/attachments/b.xml': attachment(own, `own ${own}`),
      [productPath('damaged')]: productXml(),
    });
    const dataOfProduct = zip.indexOf(productPath('damaged')) + productPath('damaged').length;
    zip.writeUInt8(zip.readUInt8(dataOfProduct + 50) ^ 0xff, dataOfProduct + 50);
    const answer = await upload(stack, zip);
    expect(answer.status).toBe(500);
    expect(answer.body.message).toContain('damaged');
    const ownKey = attachmentKey(createHash('sha256').update(`own ${own}`).digest('hex'));
    // The answer does not wait for the removal, which begins with the shared content.
    await eventually(async () => !(await storage.has(ownKey)));
    expect(await storage.has(sharedKey)).toBe(true);
    expect(sharedKey).toBe(attachmentKey(createHash('sha256').update(`shared ${shared}`).digest('hex')));
  });

  it('is kept for an import that brings it again during its removal', async () => {
    const [id, content] = [newId(), `content ${randomUUID()}`];
    const orphan = await store('attachments/incoming/for-its-digest', content);
    const key = attachmentKey(orphan.sha256);
    await storage.move(orphan.key, key);
    let importing: ReturnType<typeof importWithAttachment> | undefined;
    const removed = await stack.database.retention.removeAttachment(key, new Date(), async () => {
      importing = importWithAttachment(id, content);
      // The import waits for a lock of the test before it checks whether the content exists.
      await somebodyWaitsForALock(stack);
      await storage.remove(key);
    });
    expect(removed).toBe(true);
    const brought = await importing;
    expect(brought?.key).toBe(key);
    expect(await storage.has(key)).toBe(true);
    await finished(stack, brought?.importId ?? 0);
  });
});

describe('remains of crashes', () => {
  it('are removed when they are old: packages without an import, attachments without a record, parts, results of checks', async () => {
    // The database knows the archive.
    const { importId } = await imports.importOne();
    await ageFile((await record(importId)).storageKey);
    const orphan = await store(packageKey(randomUUID(), new Date()));
    const { key, sha256 } = await store('attachments/incoming/12-3', randomUUID());
    const unrecorded = attachmentKey(sha256);
    await storage.move(key, unrecorded);
    const incoming = await store('attachments/incoming/12-4');
    const check = await store(checkKey(randomUUID()));
    const piece = `.incoming/${randomUUID()}`;
    await mkdir(dirname(storage.locate(piece)), { recursive: true });
    await writeFile(storage.locate(piece), 'half of it');
    await ageFile(piece);
    const fresh = [packageKey(randomUUID(), new Date()), checkKey(randomUUID()), 'attachments/incoming/12-5'];
    for (const one of fresh) await storage.put(one, Readable.from([Buffer.from('x')]));

    expect(await runRetention()).toEqual({ ...NOTHING, orphans: 1, attachments: 1, leftovers: 2, checks: 1 });
    for (const one of [orphan.key, unrecorded, incoming.key, check.key, piece])
      expect(await storage.has(one)).toBe(false);
    for (const one of fresh) expect(await storage.has(one)).toBe(true);
    expect(await runRetention()).toEqual(NOTHING);
  });

  it('include a package whose removal was interrupted', async () => {
    const { importId } = await imports.importOne();
    await finished(stack, importId);
    const { storageKey } = await record(importId);
    await ageFile(storageKey);
    await stack.sql(`update zip_import set archive_removed_at = now() where id = ${importId}`);
    expect(await runRetention()).toEqual({ ...NOTHING, orphans: 1 });
    expect(await storage.has(storageKey)).toBe(false);
  });
});

describe('idempotency keys', () => {
  it('are removed after their validity', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const zip = await packageOf({});
    const { id } = (await upload(stack, zip, { headers })).body.data;
    await finished(stack, id);
    expect(await runRetention()).toEqual(NOTHING);
    await stack.sql(`update idempotency_key set created_at = created_at - interval '25 hours'`);
    expect(await runRetention()).toEqual({ ...NOTHING, idempotencyKeys: 1 });
  });
});
