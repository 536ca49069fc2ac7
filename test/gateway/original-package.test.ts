/** The package as it was uploaded: whole and in parts, checkable, recorded, and gone after retention. */
import { createHash, randomBytes } from 'node:crypto';
import { rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import { PERMISSIONS } from '../../src/contract/operations.ts';
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { createReadAudit } from '../../src/gateway/ownership.ts';
import { createReadBudgets } from '../../src/gateway/quotas/read-budgets.ts';
import { byteRange } from '../../src/gateway/routes/original-package.ts';
import { startGateway } from '../support/starters/gateway.ts';

const MIB = 1024 * 1024;
const CONTENT = randomBytes(700_000);
const SHA256 = createHash('sha256').update(CONTENT).digest();
const ETAG = `"${SHA256.toString('hex')}"`;
const KEY = 'packages/2026/01/00000000-0000-4000-8000-000000000001.zip';

const record = {
  id: 1,
  tenant: 'owner',
  storageKey: KEY,
  sizeBytes: CONTENT.length,
  sha256: SHA256.toString('hex'),
  archiveRemovedAt: null as Date | null,
};
let events: object[] = [];
let onOpen = () => {};
// Room for one answer of this client at a time: a leaked reservation blocks the next one.
const roomForOne = createReadBudgets({ atOnce: 1, memoryBytes: 1 });
let reads = roomForOne;
const gateway = await startGateway({
  change: ({ storage }) => ({
    readBudgets: (caller, response) => reads(caller, response),
    storage: {
      ...storage,
      open: async (key) => {
        onOpen();
        return storage.open(key);
      },
    },
    database: {
      imports: { find: async (id: number) => (id === 1 ? { ...record } : null) },
    } as unknown as GatewayDependencies['database'],
    readAudit: createReadAudit({ record: async (event) => void events.push(event) }),
  }),
});
const storage = createLocalStorage(gateway.directory);
const token = await gateway.tokens.sign({ client_id: 'owner', permissions: [PERMISSIONS.readImports] });

beforeEach(async () => {
  record.archiveRemovedAt = null;
  record.sizeBytes = CONTENT.length;
  onOpen = () => {};
  reads = roomForOne;
  events = [];
  await storage.put(KEY, Readable.from([CONTENT]));
});

const get = (headers: Record<string, string> = {}, method = 'GET', as = token) =>
  fetch(`${gateway.url}/regulator/package-imports/1/package`, {
    method,
    headers: { authorization: `Bearer ${as}`, ...headers },
  });
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

describe('the package', () => {
  it('is sent as it was uploaded, with its digest and an audit event', async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="package-1.zip"',
      'content-length': String(CONTENT.length),
      'accept-ranges': 'bytes',
      etag: ETAG,
      'repr-digest': `sha-256=:${SHA256.toString('base64')}:`,
      'cache-control': 'no-store',
    });
    expect((await bytesOf(answer)).equals(CONTENT)).toBe(true);
    expect(events).toEqual([{ actor: 'client:owner', action: 'import.package_read', importId: 1 }]);
  });

  it('has no body for HEAD, and holds nothing after it', async () => {
    for (let n = 0; n < 3; n += 1) {
      const head = await get({ range: 'bytes=0-9' }, 'HEAD');
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(CONTENT.length)]);
    }
    expect((await bytesOf(await get())).length).toBe(CONTENT.length);
  });

  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=300000-', 300_000, CONTENT.length],
    ['bytes=-5', CONTENT.length - 5, CONTENT.length],
    ['bytes=10-99999999', 10, CONTENT.length],
  ])('is sent in part: %s', async (range, start, end) => {
    const answer = await get({ range });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${CONTENT.length}`);
    expect(answer.headers.get('content-length')).toBe(String(end - start));
    expect(answer.headers.get('repr-digest')).toBe(`sha-256=:${SHA256.toString('base64')}:`);
    expect((await bytesOf(answer)).equals(CONTENT.subarray(start, end))).toBe(true);
  });

  it.each([
    ['the same file', ETAG, 206],
    ['another file', `"${'0'.repeat(64)}"`, 200],
    ['a weak tag', `W/${ETAG}`, 200],
    ['a date', new Date().toUTCString(), 200],
  ])('is sent in part only if the client has begun with %s', async (_name, ifRange, status) => {
    const answer = await get({ range: 'bytes=5-', 'if-range': ifRange });
    expect(answer.status).toBe(status);
    await answer.arrayBuffer();
  });

  it('is not sent, and no read is recorded, if the client has it already', async () => {
    for (const known of [ETAG, `W/${ETAG}`, `"other", ${ETAG}`, '*']) {
      const answer = await get({ 'if-none-match': known, range: 'bytes=0-9' });
      expect([answer.status, answer.headers.get('etag'), await answer.text()], known).toEqual([
        304,
        ETAG,
        '',
      ]);
    }
    expect(events).toEqual([]);
    expect((await bytesOf(await get({ 'if-none-match': '"other"' }))).length).toBe(CONTENT.length);
  });

  it('holds two pieces of 256 KiB while the client takes nothing', async () => {
    // A share of 2.5 MiB: the next download reserves 2 MiB.
    reads = createReadBudgets({ atOnce: 1, memoryBytes: 10 * MIB, longestWaitMs: 1_000 });
    record.sizeBytes = 100 * MIB;
    await truncate(join(gateway.directory, KEY), record.sizeBytes);
    const stalled = await get();
    const next = await get();
    expect(next.status).toBe(200);
    await Promise.all([stalled, next].map(({ body }) => body?.cancel()));
  });

  it('has no part behind its end', async () => {
    const answer = await get({ range: `bytes=${CONTENT.length}-` });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe(`bytes */${CONTENT.length}`);
    expect(await answer.json()).toMatchObject({ data: { code: 'range_not_satisfiable' } });
  });

  it('does not exist for others, and needs the permission', async () => {
    const other = await gateway.tokens.sign({ client_id: 'other', permissions: [PERMISSIONS.readImports] });
    expect((await get({}, 'GET', other)).status).toBe(404);
    expect((await get({}, 'GET', await gateway.tokens.sign({ permissions: [] }))).status).toBe(403);
    expect(events).toEqual([]);
  });

  it('is 410 after retention, also when retention removes it in between', async () => {
    record.archiveRemovedAt = new Date('2026-01-02');
    const removed = await get();
    expect(removed.status).toBe(410);
    const message = 'The package of import 1 was removed on 2026-01-02. Export it again.';
    expect(await removed.json()).toMatchObject({ message, data: { code: 'package_removed', id: 1 } });
    record.archiveRemovedAt = null;
    await rm(join(gateway.directory, KEY));
    await storage.put('packages/2026/01/other.zip', Readable.from(['x']));
    expect((await get()).status).toBe(500);
    onOpen = () => {
      record.archiveRemovedAt = new Date('2026-01-02');
    };
    expect((await get()).status).toBe(410);
  });

  it('that is shorter than its record ends the connection, not the body', async () => {
    await storage.put(KEY, Readable.from([CONTENT.subarray(0, 500_000)]));
    await expect(get().then(bytesOf)).rejects.toThrow();
  });
});

describe('a range', () => {
  it.each(['', 'bytes=', 'bytes=-', 'items=0-1', 'bytes=0-1,3-4', 'bytes=5-4', 'bytes=a-b'])(
    '%j is ignored',
    (header) => expect(byteRange(header, 10)).toBeNull(),
  );
  it.each(['bytes=10-', 'bytes=-0', 'bytes=99-100'])('%s is behind 10 bytes', (header) =>
    expect(byteRange(header, 10)).toBe('unsatisfiable'),
  );
  it('lies within the file', () =>
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1 }), (first, last, size) => {
        const range = byteRange(`bytes=${first}-${last}`, size);
        if (range === null) expect(last).toBeLessThan(first);
        else if (range === 'unsatisfiable') expect(first).toBeGreaterThanOrEqual(size);
        else expect(range).toEqual({ start: first, end: Math.min(size, last + 1) });
      }),
    ));
});
