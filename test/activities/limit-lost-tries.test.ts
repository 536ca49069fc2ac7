/** Work that ends its own process is given up after so many lost tries (decision §timeouts-and-retries). */
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it, vi } from 'vitest';
import { type LimitedTry, limitLostTries } from '../../activities/limit-lost-tries.ts';

// The pause after a lost try is for the heartbeats of a real server.
vi.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));

const ALLOWED = 10;

/** @param heartbeatDetails last heartbeat of the previous try */
function tryWith(heartbeatDetails: object | undefined): Promise<'alone' | 'with others'> {
  const limits = { what: 'Reading the package', deathsAllowed: ALLOWED, isShared: true };
  return new MockActivityEnvironment({ heartbeatDetails }).run(() =>
    limitLostTries(limits, async ({ suspicious }) => (suspicious ? 'alone' : 'with others')),
  );
}

/** The heartbeats of a try that works like this. */
async function heartbeatsOf(
  heartbeatDetails: object,
  work: (tries: LimitedTry) => Promise<void>,
): Promise<object[]> {
  const environment = new MockActivityEnvironment({ heartbeatDetails });
  const heartbeats: object[] = [];
  environment.on('heartbeat', (details) => heartbeats.push(details));
  await environment.run(() =>
    limitLostTries({ what: 'Reading the package', deathsAllowed: ALLOWED, isShared: true }, work),
  );
  return heartbeats;
}

describe('a try', () => {
  it('after nine lost ones is made, and after ten it is not', async () => {
    expect(await tryWith({ deaths: 8, lost: 8 })).toBe('alone');
    await expect(tryWith({ deaths: 9, lost: 9 })).rejects.toMatchObject({
      name: 'TriedTooOften',
      message: expect.stringMatching(/^Reading the package .* 10 /),
    });
  });

  it('after any number that were lost beside others is made: the losses may have another cause', async () => {
    expect(await tryWith({ deaths: 9, lost: 100, isShared: true })).toBe('alone');
  });

  it('counts only from the moment that it works alone, and forgets losses when it makes progress', async () => {
    const before = { deaths: 3, lost: 5, isShared: true };
    const heartbeats = await heartbeatsOf(before, async ({ beginAlone, madeProgress }) => {
      await beginAlone();
      madeProgress();
    });
    expect(heartbeats).toEqual([
      { deaths: 3, lost: 6, isShared: true },
      { deaths: 3, lost: 6, isShared: false },
      { deaths: 0, lost: 6, isShared: false },
      { deaths: 0, lost: 6, isShared: false, over: true },
    ]);
  });

  it('after one that failed with an error is made: nothing was lost', async () => {
    expect(await tryWith({ deaths: 9, lost: 1, over: true })).toBe('with others');
  });

  it('is made beside others until two were lost', async () => {
    expect(await tryWith(undefined)).toBe('with others');
    expect(await tryWith({ deaths: 0, lost: 0 })).toBe('with others');
    expect(await tryWith({ deaths: 1, lost: 1 })).toBe('alone');
  });
});
