/** The message of an answered upload has two forms (interface §2.3). */
import { expect, it } from 'vitest';
import { importMessage } from '../../../src/gateway/presenters/package-import.ts';

const SUCCESS = 'Package ZIP imported and queued successfully.';
const all = { created: 3, skipped: 2, failed: 0, queued: 3, queueFailed: 0 };

it('is that of a success although files were skipped', () => {
  expect(importMessage(all)).toBe(SUCCESS);
});

it.each([
  [{ failed: 1 }, 'Added: 3, skipped: 2, failed: 1, queued: 3, queue_failed: 0.'],
  [{ queued: 2, queueFailed: 1 }, 'Added: 3, skipped: 2, failed: 0, queued: 2, queue_failed: 1.'],
])('gives the counts of a partial result: %o', (counts, end) => {
  expect(importMessage({ ...all, ...counts })).toBe(`Package ZIP processed with partial results. ${end}`);
});
