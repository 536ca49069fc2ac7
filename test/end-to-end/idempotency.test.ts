/**
 * A client that lost the answer repeats its request with the same Idempotency-Key: one import, one answer (decision
 * §repeated-uploads). A gateway that lost the answer of the workflow gets it again (decision §update-with-start).
 */
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ImportFailed } from '../../src/domain/client-errors.ts';
import { createImportWorkflows } from '../../src/temporal/import-workflows.ts';
import { eventually } from '../support/eventually.ts';
import { packageOf } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { seemServed } from '../support/temporal.ts';
import { call, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack();

const under = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const importCount = () => stack.count('zip_import');
const storedZips = async () =>
  (await readdir(new URL(stack.config.archive.url).pathname, { recursive: true })).filter((name) =>
    name.endsWith('.zip'),
  ).length;

describe('the same request under the same key', () => {
  it('gets the same answer, even after the inserts, and imports nothing again', async () => {
    const zip = await packageOf({}, {});
    const key = randomUUID();
    const first = await upload(stack, zip, under(key));
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    await finished(stack, first.body.data.id);
    const before = { imports: await importCount(), zips: await storedZips() };
    const again = await upload(stack, zip, under(key));
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const location = `/regulator/package-imports/${first.body.data.id}`;
    expect([first, again].map(({ headers }) => headers.get('location'))).toEqual([location, location]);
    expect((await call(stack, 'GET', location)).status).toBe(200);
    expect({ imports: await importCount(), zips: await storedZips() }).toEqual(before);
  });

  it('waits for the first request while it runs', async () => {
    const zip = await packageOf({});
    const key = randomUUID();
    const before = await importCount();
    const answers = await Promise.all(Array.from({ length: 5 }, () => upload(stack, zip, under(key))));
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual(answers[0]?.body);
    }
    expect(await importCount()).toBe(before + 1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(4);
  });

  it('gets the same error when the package is unreadable', async () => {
    const zip = await zipOf({ 'one/export/x.xml': '', 'two/export/x.xml': '' });
    const key = randomUUID();
    const first = await upload(stack, zip, under(key));
    expect(first.status).toBe(500);
    const before = await importCount();
    const again = await upload(stack, zip, under(key));
    expect(again.status).toBe(500);
    expect(again.body).toEqual(first.body);
    expect(await importCount()).toBe(before);
  });

  it('gets the answer when the gateway was killed during the first request', async () => {
    const resumeWorkers = await stack.pauseWorkers();
    // Without a worker that extracts, the gateway waits.
    await seemServed(stack);
    const gateway = await stack.startProcess('gateway');
    const zip = await packageOf({}, {});
    const lost = upload({ ...stack, gatewayUrl: gateway.url }, zip, under('killed')).catch((error) => error);
    const row = await eventually(
      async () =>
        (await stack.sql<{ id: number }>("select id from zip_import where status = 'extracting'"))[0],
    );
    await gateway.kill();
    expect(await lost).toBeInstanceOf(TypeError);
    await resumeWorkers();
    const again = await upload(stack, zip, under('killed'));
    expect(again).toMatchObject({ status: 200, body: { data: { id: row.id, queue: { queued_count: 2 } } } });
    await finished(stack, row.id);
  });

  it('needs no regulator session, because the answer exists', async () => {
    const zip = await packageOf({});
    const first = await upload(stack, zip, under('session-key'));
    await call(stack, 'DELETE', '/regulator/session');
    expect((await upload(stack, zip, under('another-key'))).status).toBe(412);
    const again = await upload(stack, zip, under('session-key'));
    expect(again.body).toEqual(first.body);
    await stack.logIn();
  });

  it('needs no free space', async () => {
    const zip = await packageOf({});
    const first = await upload(stack, zip, under('full'));
    const archive = { ...stack.config.archive, minFreeBytes: Number.MAX_SAFE_INTEGER };
    const gateway = await stack.startGateway({ archive });
    const full = { ...stack, gatewayUrl: gateway.url };
    expect((await upload(full, zip, under('not-sent-before'))).body.data).toMatchObject({
      code: 'storage_full',
    });
    expect((await upload(full, zip, under('full'))).body).toEqual(first.body);
  });

  it('may be quoted, as in the draft of the header', async () => {
    const zip = await packageOf({});
    const first = await upload(stack, zip, under('quoted'));
    expect((await upload(stack, zip, under('"quoted"'))).body).toEqual(first.body);
  });
});

describe('another request', () => {
  it.each([
    ['another file', {}, 'other'],
    ['another comment', { comment: 'other' }, 'same'],
    ['another address', { email: 'other@company.example' }, 'same'],
  ])('under the same key: %s gives 422 with the import, and leaves nothing', async (_, changes, file) => {
    const key = randomUUID();
    const zip = await packageOf({});
    const first = await upload(stack, zip, under(key));
    const before = { imports: await importCount(), zips: await storedZips() };
    const other = file === 'other' ? await packageOf({}) : zip;
    const answer = await upload(stack, other, { ...under(key), ...changes });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/Idempotency-Key.*new key/),
      data: { code: 'idempotency_key_reused', id: first.body.data.id },
    });
    expect({ imports: await importCount(), zips: await storedZips() }).toEqual(before);
  });
});

// The SDK repeats the call when the first answer is lost. Temporal answers with the result of the same update.
describe('the call that starts an import, repeated after its end', () => {
  const workflows = createImportWorkflows(stack.temporal, { of: async () => ({}) });

  async function processAgain(importId: number) {
    const { uuid: importUuid = '', clientId = '' } = (await stack.database.imports.find(importId)) ?? {};
    await stack.imports
      .parent(importUuid)
      .result()
      .catch(() => null);
    return workflows.process({ importId, importUuid, clientId });
  }

  it('returns the counts of a completed import', async () => {
    const { importId } = await stack.imports.importOne();
    expect(await processAgain(importId)).toMatchObject({ created: 1, queued: 1 });
  });

  it('throws the reason of a failed import', async () => {
    const { body } = await upload(stack, await zipOf({ 'a/export/x.xml': '', 'b/export/x.xml': '' }));
    const failed = await processAgain(body.data.id ?? 0).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ImportFailed);
    expect(failed).toMatchObject({ code: 'invalid_package' });
  });
});

it.each(['', 'two words'])('an invalid key is refused: "%s"', async (key) => {
  const answer = await upload(stack, await packageOf({}), under(key));
  expect(answer.status).toBe(400);
  expect(answer.body.message).toContain('Idempotency-Key');
});
