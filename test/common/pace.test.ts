import { expect, it } from 'vitest';
import { createPace } from '../../src/common/pace.ts';

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
