/** One answer for many who ask, for a while. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSingleFlightCache } from '../../src/common/single-flight-cache.ts';

const BELIEVED_MS = 100;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Counts how often it is asked; each answer is the number of its question. */
function counted(believedMs: (answer: number) => number = () => BELIEVED_MS) {
  let asked = 0;
  let release = () => {};
  let held: Promise<void> | undefined;
  const lately = createSingleFlightCache(async () => {
    asked += 1;
    const mine = asked;
    await held;
    return mine;
  }, believedMs);
  return {
    lately,
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
    const { lately } = counted();
    expect(await lately.ask()).toBe(1);
    vi.advanceTimersByTime(BELIEVED_MS - 1);
    expect(await lately.ask()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await lately.ask()).toBe(2);
  });

  it('is shared by all callers that wait for it', async () => {
    const question = counted();
    question.hold();
    const first = question.lately.ask();
    vi.advanceTimersByTime(10 * BELIEVED_MS);
    const second = question.lately.ask();
    question.release();
    expect(await Promise.all([first, second])).toEqual([1, 1]);
  });

  it('is as old as its request, so that a late answer is not kept', async () => {
    const question = counted();
    question.hold();
    const first = question.lately.ask();
    vi.advanceTimersByTime(BELIEVED_MS);
    question.release();
    await first;
    expect(await question.lately.ask()).toBe(2);
  });

  it('determines its own lifetime', async () => {
    const { lately } = counted((answer) => (answer === 1 ? 10 * BELIEVED_MS : 0));
    await lately.ask();
    vi.advanceTimersByTime(9 * BELIEVED_MS);
    expect(await lately.ask()).toBe(1);
    vi.advanceTimersByTime(BELIEVED_MS);
    expect(await lately.ask()).toBe(2);
    expect(await lately.ask()).toBe(3);
  });

  it('is forgotten on request', async () => {
    const { lately } = counted();
    await lately.ask();
    lately.forget();
    expect(await lately.ask()).toBe(2);
  });
});

it('a failure reaches all waiting callers, and no later ones', async () => {
  let fails = true;
  const lately = createSingleFlightCache(
    async () => {
      if (fails) throw new Error('away');
      return 'there';
    },
    () => BELIEVED_MS,
  );
  const all = await Promise.allSettled([lately.ask(), lately.ask()]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  expect(await lately.ask()).toBe('there');
});
