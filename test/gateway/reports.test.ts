/** Reports are streamed, in bounded memory (decision §reports-are-streamed). */
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createReadingBudget } from '../../src/archive/reading-budget.ts';
import { PERMISSIONS } from '../../src/contract/permissions.ts';
import type { ImportMoment } from '../../src/database/repositories/reports.ts';
import { zeroStatusCounts } from '../../src/domain/submission.ts';
import { jsonStream, StreamedData } from '../../src/gateway/json-stream.ts';
import { createSnapshots } from '../../src/gateway/reports/snapshots.ts';
import { startBareGateway } from './support/bare-gateway.ts';
import { fakeReports } from './support/fake-reports.ts';

async function* byAndBy<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) {
    await null;
    yield item;
  }
}

const HEAD = { status: 'success', message: '"Fine".' };

describe('JSON by pieces', () => {
  it('is what it would be at once', async () => {
    const lists = fc.array(fc.jsonValue(), { maxLength: 5 });
    const property = fc.asyncProperty(lists, lists, fc.jsonValue(), async (first, second, rest) => {
      const data = { a: byAndBy(first), inner: { b: byAndBy(second), rest }, none: null, list: second };
      const whole = { ...HEAD, data: { a: first, inner: { b: second, rest }, none: null, list: second } };
      expect(await text(jsonStream(HEAD, new StreamedData(data)))).toBe(JSON.stringify(whole));
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it('asks for no more than is taken, and says when it is not needed any more', async () => {
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

  it('says so too when nobody has begun to read', async () => {
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
/** Counts so many products without holding them. */
const counting = (products: number): Partial<ImportMoment> => ({
  submissionCounts: async () => ({
    progress: { ...zeroStatusCounts(), regulator_inserted: products },
    queued: products,
    refused: 0,
  }),
});

describe('snapshots', () => {
  const view = { importId: 1, submitters: null };
  const mib = 1024 * 1024;

  it('are refused beyond the memory for all, and beyond the share of a client', async () => {
    const reports = fakeReports(async () => RECORD, counting(20_000));
    const snapshotOf = createSnapshots(reports, createReadingBudget(12 * mib), 10);
    const tooMany = { code: 'too_many_requests', headers: { 'Retry-After': '10' } };
    const held = [await snapshotOf('a', view), await snapshotOf('b', view)];
    await expect(snapshotOf('c', view)).rejects.toMatchObject(tooMany);
    held[0]?.release();
    await (await snapshotOf('c', view))?.release();

    const roomy = createSnapshots(reports, createReadingBudget(1000 * mib), 10);
    for (let n = 0; n < 3; n += 1) held.push(await roomy('a', view));
    await expect(roomy('a', view)).rejects.toMatchObject(tooMany);
    await roomy('b', view);
    held.at(-1)?.release();
    await roomy('a', view);
  });

  it('give their memory back when they cannot be taken', async () => {
    let fault: Error | null = new Error('the database is away');
    const reports = fakeReports(async () => {
      if (fault) throw fault;
      return null;
    }, counting(20_000));
    const snapshotOf = createSnapshots(reports, createReadingBudget(mib), 1_000);
    await expect(snapshotOf('a', view)).rejects.toThrow('away');
    fault = null;
    expect(await snapshotOf('a', view)).toBeNull();
    expect(await snapshotOf('a', view)).toBeNull();
  });
});

async function startReporting(moment: Partial<ImportMoment>, files: () => AsyncGenerator<never>) {
  const gateway = await startBareGateway({
    change: (dependencies) => ({
      ...dependencies,
      // Room for one report: a leaked reservation blocks the next one.
      reportMemory: createReadingBudget(1),
      database: {
        ...dependencies.database,
        imports: { find: async () => RECORD, version: async () => 'v' } as never,
        reports: { ...fakeReports(async () => RECORD, moment), files },
      },
    }),
  });
  onTestFinished(() => gateway.stop());
  const token = await gateway.tokens.sign({ permissions: [PERMISSIONS.readImports, PERMISSIONS.operate] });
  const ask = (method = 'GET', headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/regulator/package-imports/1`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  return { gateway, ask };
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

  it('is an error with its envelope as long as nothing has been sent', async () => {
    const fault = async () => Promise.reject(new Error('the database is away'));
    const { ask } = await startReporting({ fileCounts: fault }, async function* () {});
    const answer = await ask();
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ status: 'error', data: { code: 'internal' } });
    expect((await ask()).status).toBe(500);
  });

  it('ends with its connection when something fails later, and that is logged', async () => {
    // biome-ignore lint/correctness/useYield: it fails before its first value.
    const { gateway, ask } = await startReporting({}, async function* () {
      throw new Error('the database is away');
    });
    for (let n = 0; n < 2; n += 1) await expect(ask().then((answer) => answer.text())).rejects.toThrow();
    expect(gateway.log).toContainEqual(
      expect.objectContaining({ err: expect.objectContaining({ message: 'the database is away' }) }),
    );
  });
});
