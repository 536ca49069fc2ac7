/** Payloads encrypted at rest: nothing readable in histories, and everything as always for those with the keys. */
import { METADATA_ENCODING_KEY, type Payload } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { insertWorkflowId, packageImportWorkflowId } from '../../src/domain/ids.ts';
import { CLIENT_WITHOUT_PERMISSION } from '../../src/local/identity-service/identity-service.ts';
import { startWorkers } from '../../src/processes/workers/start-workers.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { createPayloadCodec, dataConverterOf } from '../../src/temporal/payload-encryption.ts';
import { eventually } from '../support/eventually.ts';
import { importsOf } from '../support/imports.ts';
import { newProductId } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const OLD = { id: 'old', secret: 'the-secret-of-last-year' };
const NEW = { id: 'new', secret: 'the-secret-of-this-year' };
const UI = 'https://temporal.example';

const text = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('utf8');
const first = async (payloads: Promise<Payload[]>) => (await payloads)[0] as Payload;

describe('the codec', () => {
  const codec = createPayloadCodec([OLD]);
  const payload = fc.record({
    metadata: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,10}$/),
      fc.uint8Array({ maxLength: 50 }).map((bytes) => new Uint8Array(bytes)),
    ),
    data: fc.uint8Array({ maxLength: 2000 }).map((bytes) => new Uint8Array(bytes)),
  });

  it('gives back what it has encrypted, and never encrypts alike', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(payload, { maxLength: 5 }), async (payloads) => {
        const [once, again] = [await codec.encode(payloads), await codec.encode(payloads)];
        const decoded = await codec.decode(once);
        const plain = (one: Payload) => [
          text(one.data),
          Object.entries(one.metadata ?? {}).map(([name, value]) => [name, text(value)]),
        ];
        expect(decoded.map(plain)).toEqual(payloads.map(plain));
        for (const [index, one] of once.entries()) {
          expect(text(one.metadata?.[METADATA_ENCODING_KEY])).toBe('binary/encrypted');
          expect(one.data).not.toEqual(again[index]?.data);
        }
      }),
    );
  });

  it('passes on what was not encrypted, and refuses what was changed', async () => {
    const plain: Payload = {
      metadata: { [METADATA_ENCODING_KEY]: Buffer.from('json/plain') },
      data: Buffer.from('1'),
    };
    expect(await codec.decode([plain])).toEqual([plain]);
    const strict = createPayloadCodec([OLD], { only: true });
    await expect(strict.decode([plain])).rejects.toThrow('TEMPORAL_PAYLOAD_KEYS_ONLY');
    expect(await strict.decode(await codec.encode([plain]))).toMatchObject([{ data: plain.data }]);
    const encrypted = await first(codec.encode([plain]));
    const length = encrypted.data?.length ?? 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const data = Buffer.from(encrypted.data ?? []);
        data[at] = (data[at] ?? 0) ^ change;
        await expect(codec.decode([{ ...encrypted, data }])).rejects.toThrow();
      }),
    );
  });

  it('encrypts with the first key, decrypts with each, and names the one that it lacks', async () => {
    const plain: Payload = { metadata: {}, data: Buffer.from('words') };
    const withOld = await first(codec.encode([plain]));
    const rotated = createPayloadCodec([NEW, OLD]);
    expect(text((await first(rotated.decode([withOld]))).data)).toBe('words');
    const withNew = await first(rotated.encode([plain]));
    await expect(codec.decode([withNew])).rejects.toThrow(/"new".*TEMPORAL_PAYLOAD_KEYS/);
  });
});

describe('imports with encrypted payloads', () => {
  let stack: TestStack;
  let imports: ReturnType<typeof importsOf>;
  let workers: { close(): Promise<void> };

  /** Workers that encrypt with the first of these keys. */
  const workersWith = (...keys: (typeof OLD)[]) =>
    startWorkers(
      { ...stack.config, temporal: { ...stack.config.temporal, payloadKeys: keys } },
      pino({ level: stack.config.logLevel }),
    );

  beforeAll(async () => {
    const keys = [OLD, NEW].map(({ id, secret }) => `${id}:${secret}`).join(',');
    stack = await startTestStack({
      env: { TEMPORAL_PAYLOAD_KEYS: keys, TEMPORAL_PAYLOAD_KEYS_ONLY: 'true', TEMPORAL_CODEC_ORIGIN: UI },
      withoutWorkers: true,
    });
    imports = importsOf(stack);
    workers = await workersWith(OLD, NEW);
  });
  afterAll(async () => {
    await workers.close();
    await stack.stop();
  });

  /** A run's history as anybody sees it who has no key, payloads opened as far as they can be. */
  async function rawHistory(workflowId: string) {
    const history = await stack.temporal.workflow.getHandle(workflowId).fetchHistory();
    const encodings = new Set<string>();
    const keyIds = new Set<string>();
    const payloads: { metadata: Record<string, string>; data: string }[] = [];
    const open = (base64: string | undefined) => Buffer.from(base64 ?? '', 'base64').toString('utf8');
    const readable = JSON.stringify(JSON.parse(historyToJSON(history)), function (key, value) {
      // The server works with these; they are no secret.
      if (/^(?:searchAttributes|\w*workflowId|header)$/i.test(key)) return undefined;
      const { metadata, data } = (value ?? {}) as { metadata?: Record<string, string>; data?: string };
      if (metadata?.encoding === undefined) return value;
      // What the SDK core notes of a local activity (its name and number) and of a patch (its name).
      if (Array.isArray(this) && /"activity_type"|"deprecated"/.test(open(data))) return open(data);
      payloads.push({ metadata, data: data ?? '' });
      encodings.add(open(metadata.encoding));
      keyIds.add(open(metadata['encryption-key-id']));
      return open(data);
    });
    return { readable, encodings: [...encodings], keyIds: [...keyIds], payloads };
  }

  it('leave nothing readable in the history of an import and of an insert that was rejected', async () => {
    const productId = newProductId();
    imports.reject(productId);
    const { importId, importUuid } = await imports.importOne({ productId });
    const [submission] = (await finished(stack, importId)).submissions;
    expect(submission?.failure_reason).toContain('Rejected on request');
    imports.restoreRegulator();

    for (const workflowId of [packageImportWorkflowId(importUuid), insertWorkflowId(productId)]) {
      const { readable, encodings, keyIds } = await rawHistory(workflowId);
      expect(encodings).toEqual(['binary/encrypted']);
      expect(keyIds).toEqual([OLD.id]);
      for (const secret of [productId, 'Rejected', 'Insert of product', 'Read the package', 'importId'])
        expect(readable, secret).not.toContain(secret);
      expect(readable).toContain('Encoded failure');
    }
  });

  it('answer as always: 409 for a product that is under way, 500 with the reason for a broken package', async () => {
    const productId = newProductId();
    imports.takeRegulatorAway();
    const running = await imports.importOne({ productId });
    const begun = `select 1 from submission where id = ${running.submissionId} and current_step is not null`;
    await eventually(async () => (await stack.sql(begun)).length > 0);
    const again = await imports.importProducts([{ productId, brand: 'Changed' }]);
    imports.restoreRegulator();
    expect(again.queue.results[0]).toMatchObject({ status: 409, data: { job_state: 'active' } });
    const broken = await upload(stack, await zipOf({ 'a/export/x.xml': '', 'b/export/x.xml': '' }));
    expect(broken.status).toBe(500);
    expect(broken.body.message).toContain('expected a single root directory');
    await finished(stack, running.importId);
  });

  it('go on when the key is changed in the middle', async () => {
    imports.takeRegulatorAway();
    const { importId, importUuid, productId } = await imports.importOne();
    await workers.close();
    workers = await workersWith(NEW, OLD);
    imports.restoreRegulator();
    const [submission] = (await finished(stack, importId)).submissions;
    expect(submission?.status).toBe('regulator_inserted');
    expect((await rawHistory(insertWorkflowId(productId))).keyIds.sort()).toEqual(['new', 'old']);

    const { client, connection } = await connectClient(
      stack.config.temporal,
      dataConverterOf(createPayloadCodec([NEW, OLD])),
    );
    const result = await client.workflow.getHandle(packageImportWorkflowId(importUuid)).result();
    await connection.close();
    expect(result).toMatchObject({ created: 1, inserted: 1 });
  });

  it('can be read by the Web UI of an operator, and by nobody else', async () => {
    const { importId, importUuid } = await imports.importOne();
    await finished(stack, importId);
    const { payloads } = await rawHistory(packageImportWorkflowId(importUuid));
    const ask = (headers: Record<string, string>, body: unknown = { payloads }, method = 'POST') =>
      fetch(`${stack.gatewayUrl}/temporal/decode`, {
        method,
        headers: { 'content-type': 'application/json', 'x-namespace': 'any', ...headers },
        ...(method === 'POST' && { body: JSON.stringify(body) }),
      });
    const operator = { authorization: `Bearer ${await stack.token()}` };

    const preflight = await ask({ origin: UI, 'access-control-request-method': 'POST' }, null, 'OPTIONS');
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(UI);
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/authorization.*x-namespace/i);

    const answer = await ask({ ...operator, origin: UI });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(UI);
    const decoded = (await answer.json()) as { payloads: { data: string }[] };
    expect(decoded.payloads).toHaveLength(payloads.length);
    const readable = decoded.payloads.map(({ data }) => Buffer.from(data, 'base64').toString('utf8'));
    expect(readable).toContain(JSON.stringify({ importId, importUuid }));

    const foreign = await ask({ ...operator, origin: 'https://elsewhere.example' });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    expect((await ask({ origin: UI })).status).toBe(401);
    const powerless = { authorization: `Bearer ${await stack.token(CLIENT_WITHOUT_PERMISSION)}` };
    expect((await ask({ ...powerless, origin: UI })).status).toBe(403);
    expect((await ask(operator, { payloads: 'all' })).status).toBe(400);
    const changed = payloads.map(({ metadata }) => ({ metadata, data: 'AAAA' }));
    expect((await ask(operator, { payloads: changed })).status).toBe(400);
  });
});

describe('the configuration of the keys', () => {
  it.each([
    ['too short a secret', { TEMPORAL_PAYLOAD_KEYS: 'a:short' }, /TEMPORAL_PAYLOAD_KEYS/],
    ['an id twice', { TEMPORAL_PAYLOAD_KEYS: 'a:0123456789abcdef,a:0123456789abcdeg' }, /twice/],
    ['keys only, without keys', { TEMPORAL_PAYLOAD_KEYS_ONLY: 'true' }, /TEMPORAL_PAYLOAD_KEYS_ONLY/],
    ['an origin without keys', { TEMPORAL_CODEC_ORIGIN: UI }, /TEMPORAL_CODEC_ORIGIN/],
  ])('refuses %s', (_what, env, message) => {
    expect(() => loadConfig(env)).toThrow(message);
  });
});
