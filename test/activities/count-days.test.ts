/** A day that cannot be counted keeps no other from being counted (decision §statistics-are-rolled-up). */
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { createCountDays } from '../../activities/count-days.ts';

const DAYS = ['2026-01-01', '2026-01-02', '2026-01-03'];

function counting(broken: string | null) {
  const counted: string[] = [];
  const statistics = {
    daysDue: async () => DAYS,
    async countDay(day: string) {
      if (day === broken) throw new Error('it takes too long');
      counted.push(day);
    },
  };
  const countDays = createCountDays({ database: { statistics: statistics as never } });
  return { counted, run: () => new MockActivityEnvironment().run(countDays) };
}

it('counts every day that is due', async () => {
  const { counted, run } = counting(null);
  expect(await run()).toBe(3);
  expect(counted).toEqual(DAYS);
});

it('counts the other days when one fails, and reports the failure', async () => {
  const { counted, run } = counting('2026-01-01');
  await expect(run()).rejects.toThrow('it takes too long');
  expect(counted).toEqual(DAYS.slice(1));
});
