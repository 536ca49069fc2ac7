/** Reports are streamed, in bounded memory, and only when they have changed (decision §reports-are-streamed). */
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/contract/operations.ts';
import type { ImportMoment } from '../../src/database/repositories/reports.ts';
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { createReadBudgets } from '../../src/gateway/quotas/read-budgets.ts';
import { jsonStream, StreamedData } from '../../src/gateway/streams.ts';
import { Connection } from '../support/connection.ts';
import { eventually } from '../support/eventually.ts';
import { fakeReports } from '../support/gateway-fakes.ts';
import { head } from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';

async function* byAndBy<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) {
    await null;
    yield item;
  }
}

const HEAD = { status: 'success', message: '"Fine".' };

describe('streamed JSON', () => {
  it('equals JSON.stringify', async () => {
    const lists = fc.array(fc.jsonValue(), { maxLength: 5 });
    const property = fc.asyncProperty(lists, lists, fc.jsonValue(), async (first, second, rest) => {
      const data = { a: byAndBy(first), inner: { b: byAndBy(second), rest }, none: null, list: second };
      const whole = { ...HEAD, data: { a: first, inner: { b: second, rest }, none: null, list: second } };
      expect(await text(jsonStream(HEAD, new StreamedData(data)))).toBe(JSON.stringify(whole));
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it('reads only as much as is sent, and releases its source at the end', async () => {
    let given = 0;
    let taken = 0;
    const closed = Promise.withResolvers<void>();
    async function* endless() {
      for (;;) {
        given += 1;
        yield 'x'.repeat(1000);
      }
    }
    for await (const _ of jsonStream(HEAD, new StreamedData({ endless: endless() }, closed.resolve))) {
      taken += 1;
      if (taken === 3) break;
    }
    expect(given).toBeLessThan(500);
    await closed.promise;
  });

  it('releases its source when nobody has begun to read', async () => {
    const closed = Promise.withResolvers<void>();
    jsonStream(HEAD, new StreamedData({ list: byAndBy([1]) }, closed.resolve)).destroy();
    await closed.promise;
  });
});

const RECORD = {
  id: 1,
  clientId: 'c',
  uploadedAt: new Date(),
  sizeBytes: 1,
  zipFilePath: '/a.zip',
  status: 'completed',
};
async function startReporting(moment: Partial<ImportMoment>, files: () => AsyncGenerator<never>) {
  const gateway = await startGateway({
    change: (dependencies) => ({
      // Room for one report: a leaked reservation blocks the next one.
      readBudgets: createReadBudgets({ atOnce: 1, memoryBytes: 1 }),
      database: {
        ...dependencies.database,
        imports: { find: async () => RECORD, version: async () => 'v' } as never,
        reports: { ...fakeReports(async () => RECORD, moment), files },
      },
    }),
  });
  const token = await gateway.tokens.sign({ permissions: [PERMISSIONS.readImports, PERMISSIONS.operate] });
  const authorization = `Bearer ${token}`;
  const ask = (method = 'GET', headers: Record<string, string> = {}) =>
    gateway.fetch('/regulator/package-imports/1', { method, headers: { authorization, ...headers } });
  return { gateway, ask, authorization };
}

describe('the answer', () => {
  it('is the same envelope, with a tag, without a length, and no body for HEAD and 304', async () => {
    const { ask } = await startReporting({}, async function* () {});
    for (let n = 0; n < 3; n += 1) {
      const head = await ask('HEAD');
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(head.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
    const answer = await ask();
    expect(answer.headers.get('content-length')).toBeNull();
    const etag = answer.headers.get('etag') ?? '';
    expect(await answer.json()).toMatchObject({ status: 'success', data: { id: 1, submissions: [] } });
    expect((await ask('GET', { 'if-none-match': etag })).status).toBe(304);
  });

  it('is an error with its envelope while nothing has been sent', async () => {
    const fault = async () => Promise.reject(new Error('the database is away'));
    const { ask } = await startReporting({ fileCounts: fault }, async function* () {});
    const answer = await ask();
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ status: 'error', data: { code: 'internal' } });
    expect((await ask()).status).toBe(500);
  });

  it('ends with its connection after a later failure, which is logged', async () => {
    // biome-ignore lint/correctness/useYield: it fails before its first value.
    const { gateway, ask } = await startReporting({}, async function* () {
      throw new Error('the database is away');
    });
    for (let n = 0; n < 2; n += 1) await expect(ask().then((answer) => answer.text())).rejects.toThrow();
    expect(gateway.log).toContainEqual(
      expect.objectContaining({ err: expect.objectContaining({ message: 'the database is away' }) }),
    );
  });

  it('that breaks off is no whole one for HTTP/1.0 either, whose answers end with their connection', async () => {
    const file = { kind: 'other', entryPath: 'a', xmlFile: 'a.xml', reasons: [], productId: null };
    const { gateway, authorization } = await startReporting({}, async function* () {
      yield Array.from({ length: 1_000 }, (_, id) => ({ ...file, id, entryIndex: id })) as never;
      throw new Error('the database is away');
    });
    const connection = await Connection.open(gateway.port);
    const path = '/regulator/package-imports/1/files.csv';
    await connection.send(head({ Authorization: authorization }, { method: 'GET', path, version: '1.0' }));
    await eventually(async () => connection.ended || connection.error);
    expect(connection.received).toMatch(/^HTTP\/1\.1 200 OK.*a\.xml/s);
    expect(connection.error?.code).toBe('ECONNRESET');
  });
});

let version = 'a';
let reads = 0;

const gateway = await startGateway({
  change: (dependencies) => ({
    database: {
      ...dependencies.database,
      imports: {
        ...dependencies.database.imports,
        find: async () => ({ ...RECORD, tenant: owner }) as never,
        version: async () => version,
      },
      reports: fakeReports(async () => {
        reads += 1;
        return RECORD;
      }),
    },
  }),
});

let owner = '';
/** Token of a client that is no operator. */
let token = '';

async function poll(etag?: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...(etag && { 'if-none-match': etag }) };
  return fetch(`${gateway.url}/regulator/package-imports/1`, { headers });
}

describe('a poll of a report', () => {
  beforeAll(async () => {
    token = await gateway.tokens.sign({ permissions: [PERMISSIONS.readImports] });
    const [, claims = ''] = token.split('.');
    const { client_id, azp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    owner = client_id ?? azp ?? sub;
  });

  it('with the tag of its version is a 304 without reading rows', async () => {
    const first = await poll();
    expect(first.status).toBe(200);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{43}"$/);
    expect(reads).toBe(1);

    const again = await poll(`"other", ${etag}`);
    expect(again.status).toBe(304);
    expect(again.headers.get('etag')).toBe(etag);
    expect(again.headers.get('cache-control')).toBe('private, no-cache');
    expect(reads).toBe(1);

    version = 'b';
    const changed = await poll(etag);
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect(reads).toBe(2);
  });

  it('of another client is a 404, with any tag', async () => {
    const etag = (await poll()).headers.get('etag') ?? '';
    owner = 'somebody else';
    expect((await poll(etag)).status).toBe(404);
  });
});

async function repairPack({ removed }: { removed: boolean }) {
  const record = {
    id: 1,
    clientId: 'client',
    status: 'completed',
    storageKey: 'packages/not-there.zip',
    archiveRemovedAt: null as Date | null,
  };
  const failed = {
    id: 1,
    kind: 'product' as const,
    entryIndex: 0,
    entryPath: 'a.xml',
    xmlFile: 'a.xml',
    reasons: [],
    productId: null,
  };
  const gateway = await startGateway({
    change: () => ({
      database: {
        imports: {
          find: async () => ({ ...record }),
        },
        reports: {
          ...fakeReports(async () => record),
          async *files() {
            if (removed) record.archiveRemovedAt = new Date('2026-01-02');
            yield [failed];
          },
        },
      } as unknown as GatewayDependencies['database'],
    }),
  });
  const token = await gateway.tokens.sign({ permissions: [PERMISSIONS.readImports, PERMISSIONS.operate] });
  const response = await fetch(`${gateway.url}/regulator/package-imports/1/repair-pack`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, body: (await response.json()) as { message: string; data: object } };
}

it('a package that retention has removed gives 410', async () => {
  const { status, body } = await repairPack({ removed: true });
  expect(status).toBe(410);
  expect(body).toEqual({
    status: 'error',
    message: 'The package of import 1 was removed on 2026-01-02. Export it again.',
    data: { code: 'package_removed', doc_url: '/api/doc/errors#package_removed', id: 1 },
  });
});

it('a missing package that nobody has removed is an internal error', async () => {
  expect((await repairPack({ removed: false })).status).toBe(500);
});
