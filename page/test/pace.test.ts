// @vitest-environment happy-dom
/** Speed and time left of an upload, over its last seconds. */
import { expect, it } from 'vitest';
import { createPace } from '../screens/upload/upload-job.ts';

const MB = 1024 * 1024;

it('says nothing before there is something to go by', () => {
  const pace = createPace();
  expect(pace.add(MB, 100 * MB, 0)).toEqual({ perSecond: null, leftMs: null });
  expect(pace.add(2 * MB, 100 * MB, 500)).toEqual({ perSecond: null, leftMs: null });
  expect(pace.add(3 * MB, 100 * MB, 1000)).toEqual({ perSecond: 2 * MB, leftMs: 48_500 });
});

it('follows a line that has become slow, and one that stands still', () => {
  const pace = createPace();
  for (let s = 0; s <= 10; s += 1) pace.add(s * 10 * MB, 1000 * MB, s * 1000);
  let last = pace.add(100 * MB, 1000 * MB, 10_000);
  expect(last.perSecond).toBeCloseTo(10 * MB);
  for (let s = 11; s <= 20; s += 1) last = pace.add((90 + s) * MB, 1000 * MB, s * 1000);
  expect(last.perSecond).toBeCloseTo(MB);
  for (let s = 21; s <= 30; s += 1) last = pace.add(110 * MB, 1000 * MB, s * 1000);
  expect(last).toEqual({ perSecond: 0, leftMs: null });
});
