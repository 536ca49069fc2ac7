/** Attempts of activities: given up after so many lost ones, with failures that hold no data of the database. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { heartbeating } from '../../activities/activity-context.ts';
import { failureOf } from '../../activities/failure-mapping.ts';
import { type LimitedAttempt, limitLostAttempts } from '../../activities/reading/limit-lost-attempts.ts';
import { plainReason, reasonsText } from '../../src/contract/reasons.ts';
import { RegulatorUnavailable } from '../../src/domain/client-errors.ts';
import { RegulatorRejection } from '../../src/regulator/port.ts';
import { rootCause } from '../../workflows/failures.ts';

// The pause after a lost attempt is for the heartbeats of a real server.
vi.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));

const ALLOWED = 10;

/** @param heartbeatDetails last heartbeat of the previous attempt */
function tryWith(heartbeatDetails: object | undefined): Promise<'alone' | 'with others'> {
  return new MockActivityEnvironment({ heartbeatDetails }).run(() =>
    limitLostAttempts(ALLOWED, async ({ suspicious }) => (suspicious ? 'alone' : 'with others')),
  );
}

/** The heartbeats of an attempt that works like this. */
async function heartbeatsOf(
  heartbeatDetails: object,
  work: (attempts: LimitedAttempt) => Promise<void>,
): Promise<object[]> {
  const environment = new MockActivityEnvironment({ heartbeatDetails });
  const heartbeats: object[] = [];
  environment.on('heartbeat', (details) => heartbeats.push(details));
  await environment.run(() => limitLostAttempts(ALLOWED, work));
  return heartbeats;
}

describe('an attempt', () => {
  it('is made after nine lost attempts, and not after ten', async () => {
    expect(await tryWith({ lostAlone: 8, lost: 8 })).toBe('alone');
    await expect(tryWith({ lostAlone: 9, lost: 9 })).rejects.toMatchObject({
      name: 'LostTooOften',
      message: expect.stringMatching(/^Reading the package .* 10 /),
    });
  });

  it('is made after any number of attempts that were lost beside other work', async () => {
    expect(await tryWith({ lostAlone: 9, lost: 100, isShared: true })).toBe('alone');
  });

  it('counts as lost alone only after it begins to work alone, and progress resets the count', async () => {
    const before = { lostAlone: 3, lost: 5, isShared: true };
    const heartbeats = await heartbeatsOf(before, async ({ beginAlone, madeProgress }) => {
      await beginAlone();
      madeProgress();
    });
    expect(heartbeats).toEqual([
      { lostAlone: 3, lost: 6, isShared: true },
      { lostAlone: 3, lost: 6, isShared: false },
      { lostAlone: 0, lost: 6, isShared: false },
      { lostAlone: 0, lost: 6, isShared: false, over: true },
    ]);
  });

  it('sends no heartbeat after its end', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    await heartbeatsOf({}, async () => {});
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is made after an attempt that failed with an error', async () => {
    expect(await tryWith({ lostAlone: 9, lost: 1, over: true })).toBe('with others');
  });

  it('runs beside other work until two attempts were lost', async () => {
    expect(await tryWith(undefined)).toBe('with others');
    expect(await tryWith({ lostAlone: 0, lost: 0 })).toBe('with others');
    expect(await tryWith({ lostAlone: 1, lost: 1 })).toBe('alone');
  });
});

describe('heartbeats', () => {
  it('repeat the details of the previous attempt until the work reports its own', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const environment = new MockActivityEnvironment({ heartbeatDetails: { lost: 1 } });
    const heartbeats: object[] = [];
    environment.on('heartbeat', (details) => heartbeats.push(details));
    await environment.run(() =>
      heartbeating(async (report) => {
        vi.advanceTimersByTime(2_000);
        report({ lost: 2 });
        vi.advanceTimersByTime(2_000);
      }),
    );
    expect(heartbeats).toEqual([{ lost: 1 }, { lost: 2 }, { lost: 2 }]);
  });
});

describe('a failure', () => {
  const mapped = (error: Error): Promise<Error> =>
    new MockActivityEnvironment().run(async () => failureOf(error));

  it.each(['insert into', 'update', 'select', 'delete from', 'with', 'begin', 'commit'])(
    'a fault of the database keeps its reason and loses its statement (%s)',
    async (beginning) => {
      const failure = await mapped(new Error(`${beginning} "t" ('of a client') - duplicate key value`));
      expect(failure.message).toMatch(/duplicate key value$/);
      expect(failure.message).not.toContain('of a client');
      expect(failure).toMatchObject({ type: 'Error', nonRetryable: false });
    },
  );

  it('another fault keeps its whole message, up to a length', async () => {
    expect((await mapped(new Error('the storage is away - again'))).message).toBe(
      'the storage is away - again',
    );
    expect((await mapped(new Error('x'.repeat(1_000)))).message.length).toBeLessThanOrEqual(301);
  });

  it('an error of the catalogue says by itself whether it can be tried again', async () => {
    expect(await mapped(new RegulatorRejection(['too short']))).toMatchObject({
      type: 'RegulatorRejection',
      nonRetryable: true,
      message: 'The regulator rejected the product: too short',
    });
  });

  it('a rejection comes to the workflow with its reasons, each in the section that was rejected', () => {
    const cause = rootCause(failureOf(new RegulatorRejection(['too heavy', 'too large'], 'Product/Design')));
    const prefix = 'The regulator rejected the product:';
    expect(cause.reasons).toEqual([
      { path: 'Product/Design', line: null, check: null, text: `${prefix} too heavy` },
      { path: 'Product/Design', line: null, check: null, text: `${prefix} too large` },
    ]);
    expect(cause).toMatchObject({ type: 'RegulatorRejection', message: reasonsText(cause.reasons) });
  });

  it('the reasons of a rejection are bounded, however many the regulator gives', () => {
    const { reasons } = new RegulatorRejection(Array.from({ length: 1000 }, () => 'no'));
    expect(reasons).toHaveLength(101);
    expect(reasons.at(-1)).toEqual(plainReason('… and 900 more'));
  });

  it('the message of any other failure is its only reason', () => {
    const { reasons } = rootCause(failureOf(new RegulatorUnavailable('It is away.')));
    expect(reasons).toEqual([plainReason('It is away.')]);
  });
});
