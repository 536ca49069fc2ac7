import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beginTimeSlice, TimeSliceOver } from '../../../activities/extraction/time-slice.ts';
import { failureOf } from '../../../activities/failure-mapping.ts';

const SLICE_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The number of pieces that one slice records, each of which takes that long. */
function piecesOf(slice: ReturnType<typeof beginTimeSlice>, pieceMs: number): number {
  for (let pieces = 1; ; pieces += 1) {
    vi.advanceTimersByTime(pieceMs);
    try {
      slice.recorded();
    } catch (error) {
      expect(error).toBeInstanceOf(TimeSliceOver);
      return pieces;
    }
  }
}

describe('the time slice of a reading', () => {
  it('is over when it has lasted', () => {
    expect(piecesOf(beginTimeSlice(SLICE_MS), 100)).toBe(11);
  });

  it('records something, however long a piece takes', () => {
    expect(piecesOf(beginTimeSlice(SLICE_MS), 10 * SLICE_MS)).toBe(2);
  });

  it('is longer than what was read again before', () => {
    const slice = beginTimeSlice(SLICE_MS);
    vi.advanceTimersByTime(5 * SLICE_MS);
    expect(piecesOf(slice, 100)).toBeGreaterThan(50);
  });

  it('ends with a failure that is tried again at once and disturbs nobody', () => {
    expect(failureOf(new TimeSliceOver())).toMatchObject({
      type: 'TimeSliceOver',
      nonRetryable: false,
      nextRetryDelay: 100,
      category: 'BENIGN',
    });
  });
});
