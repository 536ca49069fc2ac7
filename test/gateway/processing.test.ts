/** Uploads without a worker to process them are refused before their body. No other request is refused. */
import { afterEach, describe, expect, it } from 'vitest';
import type { NewImport } from '../../src/database/repositories/imports.ts';
import { Connection } from '../support/connection.ts';
import { head, multipartBody, uploadHeaders } from '../support/multipart.ts';
import { type Gateway, startGateway } from '../support/starters/gateway.ts';

const IMPORTS = 'worker package-import';

/** The known result of an Idempotency-Key: an import with its answer. */
const REPEATED = { kind: 'repeated', record: { id: 1, status: 'queued', queuedAt: new Date() } };

/** Names of the checks that fail. */
const away = new Set<string>();
/** Number of checks of the import worker. */
let looks = 0;

afterEach(() => {
  away.clear();
  looks = 0;
});

/** A gateway with an empty cache: it keeps answers for a second. */
async function newGateway(maxProcessingWaitMs = 0): Promise<Gateway> {
  const check = (name: string) => async () => {
    if (name === IMPORTS) looks += 1;
    if (away.has(name)) throw new Error(`${name} at 10.1.2.3`);
  };
  return startGateway({
    limits: { maxProcessingWaitMs },
    change: (dependencies) => ({
      database: {
        ...dependencies.database,
        idempotency: { knows: async () => true, repeat: async () => REPEATED } as never,
      },
      processing: {
        uploads: { temporal: check('temporal'), [IMPORTS]: check(IMPORTS) },
      },
    }),
  });
}

const BODY = multipartBody(10);

describe('an upload', () => {
  it.each(['temporal', IMPORTS])('is refused without %s, before its body and temporarily', async (name) => {
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
    expect((await gateway.upload(BODY, { query: '?dry_run=true' })).status).toBe(503);
    expect(await gateway.files()).toEqual([]);
  });

  it('that was answered gets its answer again without any worker', async () => {
    const gateway = await newGateway();
    gateway.imports.push({ uploadedAt: new Date(), sizeBytes: 10, zipFilePath: 'a.zip' } as NewImport);
    away.add('temporal');
    const answer = await gateway.upload(BODY, { headers: { 'idempotency-key': 'sent-before' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('idempotent-replayed')).toBe('true');
  });

  it('waits for a worker that is starting', async () => {
    const gateway = await newGateway(60_000);
    away.add(IMPORTS);
    const answer = gateway.upload(BODY);
    await expect.poll(() => looks).toBeGreaterThan(0);
    expect(gateway.imports).toEqual([]);
    away.clear();
    expect((await answer).status).toBe(200);
  });

  it('needs no request of its own', async () => {
    const gateway = await newGateway();
    const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.upload(BODY)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(looks).toBeLessThan(5);
  });
});
