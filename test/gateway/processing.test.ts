/** Uploads without a worker to process them are refused before their body. No other request is refused. */
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { NewImport } from '../../src/database/repositories/imports.ts';
import { type BareGateway, startBareGateway } from './support/bare-gateway.ts';
import { Connection } from './support/connection.ts';
import { head, IMPORT_PATH, multipartBody, uploadHeaders } from './support/requests.ts';

const IMPORTS = 'worker package-import';
const INSERTS = 'worker regulator-insert';

/** The known result of an Idempotency-Key: an import with its answer. */
const REPEATED = { kind: 'known', record: { id: 1, status: 'queued', queuedAt: new Date() } };

/** Names of the checks that fail. */
const away = new Set<string>();
/** Number of checks of the import worker. */
let looks = 0;

afterEach(() => {
  away.clear();
  looks = 0;
});

/** A gateway with an empty cache: it keeps answers for a second. */
async function newGateway(processingPatienceMs = 0): Promise<BareGateway> {
  const check = (name: string) => async () => {
    if (name === IMPORTS) looks += 1;
    if (away.has(name)) throw new Error(`${name} at 10.1.2.3`);
  };
  const gateway = await startBareGateway({
    change: (dependencies) => ({
      ...dependencies,
      limits: { ...dependencies.limits, processingPatienceMs },
      database: {
        ...dependencies.database,
        idempotency: { knows: async () => true, create: async () => REPEATED } as never,
      },
      processing: {
        uploads: { temporal: check('temporal'), [IMPORTS]: check(IMPORTS) },
        inserts: { [INSERTS]: check(INSERTS) },
      },
    }),
  });
  onTestFinished(() => gateway.stop());
  return gateway;
}

function upload({ url, token }: BareGateway, { query = '', key }: { query?: string; key?: string } = {}) {
  const headers = uploadHeaders(token, 'chunked');
  return fetch(`${url}${IMPORT_PATH}${query}`, {
    method: 'POST',
    headers: {
      authorization: headers.Authorization ?? '',
      'content-type': headers['Content-Type'],
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: multipartBody(10),
  });
}

async function readiness(gateway: BareGateway) {
  const response = await fetch(`${gateway.url}/health/ready`);
  const { data } = (await response.json()) as { data: { processing: Record<string, string> } };
  return { status: response.status, processing: data.processing };
}

describe('an upload', () => {
  it.each(['temporal', IMPORTS])(
    'is refused while %s is away, before its body and for a while only',
    async (name) => {
      const gateway = await newGateway();
      away.add(name);
      const connection = await Connection.open(gateway.port);
      await connection.send(head({ ...uploadHeaders(gateway.token, 1_000_000), Expect: '100-continue' }));
      expect(await connection.status()).toBe(503);
      connection.destroy();
      expect(connection.received).not.toContain('100 Continue');
      expect(connection.received).toMatch(/^Retry-After: 15\r$/m);
      expect(connection.received).toContain('"code":"processing_unavailable"');
      expect(connection.received).not.toContain('10.1.2.3');
      expect((await upload(gateway, { query: '?dry_run=true' })).status).toBe(503);
      expect(await gateway.files()).toEqual([]);
      expect((await readiness(gateway)).status).toBe(200);
      expect((await readiness(gateway)).processing[name]).toBe('failed');
    },
  );

  it('that was answered before gets its answer again, whoever is away', async () => {
    const gateway = await newGateway();
    gateway.imports.push({ uploadedAt: new Date(), sizeBytes: 10, zipFilePath: 'a.zip' } as NewImport);
    away.add('temporal');
    const answer = await upload(gateway, { key: 'sent-before' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('idempotent-replayed')).toBe('true');
  });

  it('is taken while nobody inserts: its products wait, as when inserting is paused', async () => {
    const gateway = await newGateway();
    away.add(INSERTS);
    expect((await upload(gateway)).status).toBe(200);
    expect(await readiness(gateway)).toEqual({
      status: 200,
      processing: { temporal: 'ok', [IMPORTS]: 'ok', [INSERTS]: 'failed' },
    });
  });

  it('waits for a worker that is just being started', async () => {
    const gateway = await newGateway(60_000);
    away.add(IMPORTS);
    const answer = upload(gateway);
    await expect.poll(() => looks).toBeGreaterThan(0);
    expect(gateway.imports).toEqual([]);
    away.clear();
    expect((await answer).status).toBe(200);
  });

  it('costs no question of its own', async () => {
    const gateway = await newGateway();
    const answers = await Promise.all(Array.from({ length: 20 }, () => upload(gateway)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(looks).toBeLessThan(5);
  });
});
