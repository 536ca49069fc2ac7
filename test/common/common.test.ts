/** Pure helpers: a pace, a budget, a cache for concurrent callers. */

import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPace } from '../../src/common/measures.ts';
import { createSemaphore } from '../../src/common/semaphore.ts';
import { createSingleFlightCache } from '../../src/common/single-flight-cache.ts';

it('a speed is unknown in the first second', () => {
  let now = 0;
  const pace = createPace(() => now);
  expect(pace.at(0)).toBeNull();
  now = 999;
  expect(pace.at(100)).toBeNull();
  now = 1000;
  expect(pace.at(200)).toBe(200);
});

it('a speed is that of the last seconds', () => {
  let now = 0;
  const pace = createPace(() => now);
  for (now = 1000; now <= 20_000; now += 1000) pace.at(now);
  expect(pace.at(20_000)).toBeGreaterThan(500);
  for (; now <= 40_000; now += 1000) pace.at(20_000);
  expect(pace.at(20_000)).toBe(0);
});

const TOTAL = 100;

describe('a reading budget', () => {
  it('is never exceeded, and is given in order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ bytes: fc.integer({ min: 0, max: 150 }), leaves: fc.boolean() }), {
          maxLength: 30,
        }),
        fc.scheduler(),
        async (readers, scheduler) => {
          const budget = createSemaphore(TOTAL);
          const admitted: number[] = [];
          let held = 0;
          const read = async ({ bytes, leaves }: (typeof readers)[number], index: number) => {
            const leaving = new AbortController();
            if (leaves) void scheduler.schedule(Promise.resolve()).then(() => leaving.abort('gone'));
            const release = await budget.reserve(bytes, leaving.signal).catch((reason) => {
              expect(reason).toBe('gone');
              return null;
            });
            if (!release) return;
            admitted.push(index);
            held += Math.min(bytes, TOTAL);
            expect(held).toBeLessThanOrEqual(TOTAL);
            await scheduler.schedule(Promise.resolve());
            held -= Math.min(bytes, TOTAL);
            release();
            release();
          };
          const reading = Promise.all(readers.map(read));
          await scheduler.waitFor(reading);
          expect(admitted).toEqual([...admitted].sort((a, b) => a - b));
          const stayed = readers.flatMap(({ leaves }, index) => (leaves ? [] : index));
          expect(admitted).toEqual(expect.arrayContaining(stayed));
          expect(await budget.reserve(TOTAL)).toBeTypeOf('function');
        },
      ),
    );
  });

  it('serves the next waiting reader when the first one gives up', async () => {
    const budget = createSemaphore(TOTAL);
    const release = await budget.reserve(60);
    const leaving = new AbortController();
    const large = budget.reserve(90, leaving.signal);
    let admitted = false;
    const small = budget.reserve(10).then(() => {
      admitted = true;
    });
    await setImmediate();
    expect(admitted).toBe(false);
    leaving.abort(new Error('has gone'));
    await expect(large).rejects.toThrow('has gone');
    await small;
    release();
  });

  it('gives nothing to a reader that has given up', async () => {
    const budget = createSemaphore(TOTAL);
    await expect(budget.reserve(1, AbortSignal.abort(new Error('has gone')))).rejects.toThrow('has gone');
    await budget.reserve(TOTAL);
  });
});

describe('a single-flight cache', () => {
  const TTL_MS = 100;

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Counts how often it is asked; each answer is the number of its question. */
  function counted(ttlMs: (answer: number) => number = () => TTL_MS) {
    let asked = 0;
    let release = () => {};
    let held: Promise<void> | undefined;
    const cached = createSingleFlightCache(async () => {
      asked += 1;
      const mine = asked;
      await held;
      return mine;
    }, ttlMs);
    return {
      cached,
      hold() {
        held = new Promise((resolve) => {
          release = resolve;
        });
      },
      release: () => release(),
    };
  }

  describe('an answer', () => {
    it('is kept for a while', async () => {
      const { cached } = counted();
      expect(await cached.get()).toBe(1);
      vi.advanceTimersByTime(TTL_MS - 1);
      expect(await cached.get()).toBe(1);
      vi.advanceTimersByTime(1);
      expect(await cached.get()).toBe(2);
    });

    it('is shared by all callers that wait for it', async () => {
      const question = counted();
      question.hold();
      const first = question.cached.get();
      vi.advanceTimersByTime(10 * TTL_MS);
      const second = question.cached.get();
      question.release();
      expect(await Promise.all([first, second])).toEqual([1, 1]);
    });

    it('is as old as its request, so that a late answer is not kept', async () => {
      const question = counted();
      question.hold();
      const first = question.cached.get();
      vi.advanceTimersByTime(TTL_MS);
      question.release();
      await first;
      expect(await question.cached.get()).toBe(2);
    });

    it('determines its own lifetime', async () => {
      const { cached } = counted((answer) => (answer === 1 ? 10 * TTL_MS : 0));
      await cached.get();
      vi.advanceTimersByTime(9 * TTL_MS);
      expect(await cached.get()).toBe(1);
      vi.advanceTimersByTime(TTL_MS);
      expect(await cached.get()).toBe(2);
      expect(await cached.get()).toBe(3);
    });

    it('is forgotten on request', async () => {
      const { cached } = counted();
      await cached.get();
      cached.invalidate();
      expect(await cached.get()).toBe(2);
    });
  });

  it('a failure reaches all waiting callers, and no later ones', async () => {
    let fails = true;
    const cached = createSingleFlightCache(
      async () => {
        if (fails) throw new Error('away');
        return 'there';
      },
      () => TTL_MS,
    );
    const all = await Promise.allSettled([cached.get(), cached.get()]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await cached.get()).toBe('there');
  });
});
