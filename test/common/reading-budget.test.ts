/** Never more than the budget is under way, every reservation is admitted, and nobody who has gone is waited for. */
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReadingBudget } from '../../src/common/reading-budget.ts';

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
          const budget = createReadingBudget(TOTAL);
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
    const budget = createReadingBudget(TOTAL);
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
    const budget = createReadingBudget(TOTAL);
    await expect(budget.reserve(1, AbortSignal.abort(new Error('has gone')))).rejects.toThrow('has gone');
    await budget.reserve(TOTAL);
  });
});
