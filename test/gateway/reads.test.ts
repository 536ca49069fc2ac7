/** Memory and places that the reads of a client use are bounded, and are always released (decision §reading-has-a-budget). */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RetryCounts } from '../../src/database/repositories/import-retries.ts';
import type { ImportMoment } from '../../src/database/repositories/reports.ts';
import { zeroStatusCounts } from '../../src/domain/submission.ts';
import { snapshotOf } from '../../src/gateway/presenters/import-source.ts';
import { createReadBudgets, type ReadBudgets } from '../../src/gateway/quotas/read-budgets.ts';
import { Connection } from '../support/connection.ts';
import { eventually } from '../support/eventually.ts';
import { fakeReports } from '../support/gateway-fakes.ts';
import { largeAnswers, PATHS_OF_LARGE_ANSWERS } from '../support/large-answers.ts';
import { head } from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';

const MIB = 1024 * 1024;
const TOO_MANY = { code: 'too_many_requests', headers: { 'Retry-After': '10' } };

/** A read, and the end of its connection. */
function begin(reads: ReadBudgets, clientId = 'a', actor = `client:${clientId}`) {
  const response = new EventEmitter() as unknown as ServerResponse;
  return { ...reads({ clientId, actor }, response), close: () => response.emit('close') };
}

/** Whether a promise is settled after everything that is due. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  await setImmediate();
  return settled;
}

describe('memory', () => {
  const options = { atOnce: 10, memoryBytes: 4 * MIB };

  it('of one client is a quarter of all, and the rest is for others', async () => {
    const reads = createReadBudgets({ ...options, longestWaitMs: 10 });
    await begin(reads).reserve(MIB);
    await expect(begin(reads).reserve(1)).rejects.toMatchObject(TOO_MANY);
    for (const client of ['b', 'c', 'd']) await begin(reads, client).reserve(MIB);
    await expect(begin(reads, 'e').reserve(1)).rejects.toMatchObject(TOO_MANY);
  });

  it('of one person is a quarter of all, under any name, and of all people of a client three quarters', async () => {
    const reads = createReadBudgets({ ...options, longestWaitMs: 10 });
    const ask = (sub: string) => begin(reads, 'page', `person:${sub}`);
    await ask('1 (ann)').reserve(MIB);
    await expect(ask('1 (ann b)').reserve(1)).rejects.toMatchObject(TOO_MANY);
    for (const sub of ['2', '3']) await ask(sub).reserve(MIB);
    await expect(ask('4').reserve(1)).rejects.toMatchObject(TOO_MANY);
    await begin(reads, 'b').reserve(MIB);
  });

  it('that one person waits for takes no place from others of the client', async () => {
    const reads = createReadBudgets({ ...options, atOnce: 1 });
    const first = begin(reads, 'page', 'person:1');
    await first.reserve(MIB);
    first.loaded();
    const waiting = begin(reads, 'page', 'person:1').reserve(1);
    expect(await isSettled(waiting)).toBe(false);
    await begin(reads, 'page', 'person:2').reserve(1);
    first.close();
    expect(await isSettled(waiting)).toBe(false);
  });

  it('is held until the answer is taken, at its real size', async () => {
    const reads = createReadBudgets(options);
    const first = begin(reads);
    await first.reserve(MIB);
    first.loaded(MIB / 4);
    await begin(reads).reserve((MIB * 3) / 4);
    const waiting = begin(reads).reserve(MIB / 4);
    expect(await isSettled(waiting)).toBe(false);
    first.close();
    await waiting;
  });

  it('of an answer that is larger than the share of a client is the whole share', async () => {
    const reads = createReadBudgets(options);
    const first = begin(reads);
    await first.reserve(100 * MIB);
    const second = begin(reads).reserve(1);
    expect(await isSettled(second)).toBe(false);
    first.loaded(0);
    await second;
  });

  it('is released before more is reserved, so that two reads never wait for each other', async () => {
    const reads = createReadBudgets(options);
    const [first, second] = [begin(reads), begin(reads)];
    await Promise.all([first.reserve(MIB / 2), second.reserve(MIB / 2)]);
    const larger = Promise.all([first.reserve(MIB).then(() => first.loaded(0)), second.reserve(MIB)]);
    await larger;
  });
});

describe('places', () => {
  it('are for reads that load: others of the client wait, other clients do not', async () => {
    const reads = createReadBudgets({ atOnce: 1 });
    const first = begin(reads);
    await first.reserve(1);
    const second = begin(reads).reserve(1);
    expect(await isSettled(second)).toBe(false);
    await begin(reads, 'b').reserve(1);
    first.loaded();
    await second;
  });
});

describe('a client that disconnects', () => {
  it('while it waits leaves the queue', async () => {
    const reads = createReadBudgets({ atOnce: 1 });
    const first = begin(reads);
    await first.reserve(1);
    const gone = begin(reads);
    const waiting = gone.reserve(1);
    gone.close();
    await expect(waiting).rejects.toMatchObject({ code: 'invalid_request' });
    const third = begin(reads).reserve(1);
    first.loaded();
    await third;
  });

  it('while its data is loaded keeps place and memory until the load ends', async () => {
    const reads = createReadBudgets({ atOnce: 1, memoryBytes: 4 * MIB });
    const first = begin(reads);
    await first.reserve(MIB);
    first.close();
    const second = begin(reads);
    const place = second.reserve(MIB);
    expect(await isSettled(place)).toBe(false);
    first.loaded(MIB);
    await place;
    second.loaded(MIB);
    const memory = begin(reads).reserve(1);
    expect(await isSettled(memory)).toBe(false);
    second.close();
    await memory;
  });

  it('before it has reserved gets nothing', async () => {
    const reads = createReadBudgets({ atOnce: 1 });
    const gone = begin(reads);
    gone.close();
    await expect(gone.reserve(1)).rejects.toMatchObject({ code: 'invalid_request' });
    await begin(reads).reserve(1);
  });
});

describe('a snapshot', () => {
  const importId = 1;
  const counting = (products: number): Partial<ImportMoment> => ({
    submissionCounts: async () => ({
      progress: { ...zeroStatusCounts(), regulator_inserted: products },
      queued: products,
      refused: 0,
      offersInsert: false,
    }),
  });

  it('reserves its memory before it reads a submission', async () => {
    const reads = createReadBudgets({ atOnce: 10, memoryBytes: 24 * MIB, longestWaitMs: 10 });
    let read = 0;
    const reports = fakeReports(async () => ({ id: 1 }), {
      ...counting(20_000),
      // biome-ignore lint/correctness/useYield: there are none.
      async *submissions() {
        read += 1;
      },
    });
    await begin(reads).reserve(3 * MIB);
    await expect(snapshotOf(reports, begin(reads), importId)).rejects.toMatchObject(TOO_MANY);
    expect(read).toBe(0);
    await snapshotOf(reports, begin(reads, 'b'), importId);
    expect(read).toBe(1);
  });
});

describe('the first page of a retry', () => {
  it('is looked for with a place, which another request has between two looks', async () => {
    const retry = { uuid: 'uuid', clientId: 'client', requestedBy: 'client:client', requestedAt: new Date() };
    const looks: PromiseWithResolvers<RetryCounts>[] = [];
    let begun = 0;
    const gateway = await startGateway({
      change: (dependencies) => ({
        readBudgets: createReadBudgets({ atOnce: 1 }),
        importWorkflows: { retry: async () => {} } as never,
        database: {
          ...dependencies.database,
          imports: { find: async () => ({ id: 1 }) } as never,
          importRetries: {
            async begin() {
              begun += 1;
              return retry;
            },
            last: async () => retry,
            counts() {
              const look = Promise.withResolvers<RetryCounts>();
              looks.push(look);
              return look.promise;
            },
            results: async () => [],
          } as never,
        },
      }),
    });
    const path = '/regulator/package-imports/1/actions/regulator-insert';
    const requests = [1, 2].map(() => gateway.fetch(path, { method: 'POST' }));
    const looked = (count: number) => eventually(async () => looks.length >= count);

    await looked(1);
    await eventually(async () => begun === 2);
    await setImmediate();
    expect(looks).toHaveLength(1);
    looks[0]?.resolve({ queued: 0, failed: 0, pending: 1 });
    for (const index of [1, 2]) {
      await looked(index + 1);
      looks[index]?.resolve({ queued: 1, failed: 0, pending: 0 });
    }
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([202, 202]);
  });
});

describe('a stalled reader', () => {
  // One answer of JSON, one table, one archive: test/gateway/stalled-readers.test.ts has all.
  it.each(['a list of submissions', 'a table of products', 'a dossier'] as const)(
    'of %s is cut, and its memory is for the next one',
    async (kind) => {
      const path = PATHS_OF_LARGE_ANSWERS[kind];
      const gateway = await startGateway({
        server: { slowClientMs: 400 },
        change: (dependencies) => ({
          ...largeAnswers(dependencies),
          // Room for one answer.
          readBudgets: createReadBudgets({ atOnce: 1, memoryBytes: 4 }),
        }),
      });
      const connection = await Connection.open(gateway.port);
      connection.socket.pause();
      const request = head({ Authorization: `Bearer ${gateway.token}` }, { method: 'GET', path });
      // The operating system may take the first answer whole, and not a second one.
      await connection.send(request.repeat(2));
      await eventually(async () =>
        gateway.log.some(({ reason }) => /The client read only \d+ bytes/.test(String(reason))),
      );
      const answer = await gateway.fetch('/regulator/package-imports/1?view=summary');
      expect(answer.status).toBe(200);
      connection.destroy();
    },
  );
});
