/** The time that the regulator has for the answer to a sent file grows with the file, which it checks meanwhile. */
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchUpload } from '../../src/regulator/upload-watch.ts';

const MIB = 1024 * 1024;
const IDLE_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('is a second more for each 10 MiB, and no longer', async () => {
  const upload = watchUpload(Readable.from([Buffer.from('the last piece')]), 100 * MIB, {
    idleMs: IDLE_MS,
    leastBytesPerSecond: MIB,
  });
  await Array.fromAsync(upload.body);
  vi.advanceTimersByTime(IDLE_MS + 10_000 - 1);
  expect(upload.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(upload.signal.reason).toMatchObject({
    message: 'the file was sent, but there was no answer for 11000 ms',
  });
  upload.end();
});
