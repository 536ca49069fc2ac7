import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beginReadingTurn } from '../../../activities/extraction/reading-turn.ts';
import { failureOf } from '../../../activities/failure-mapping.ts';
import { ReadingTurnOver } from '../../../src/domain/errors.ts';

const TURN_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The number of pieces that one turn keeps, each of which takes that long. */
function piecesOf(turn: ReturnType<typeof beginReadingTurn>, pieceMs: number): number {
  for (let pieces = 1; ; pieces += 1) {
    vi.advanceTimersByTime(pieceMs);
    try {
      turn.kept();
    } catch (error) {
      expect(error).toBeInstanceOf(ReadingTurnOver);
      return pieces;
    }
  }
}

describe('the turn of a reading', () => {
  it('is over when it has lasted', () => {
    expect(piecesOf(beginReadingTurn(TURN_MS), 100)).toBe(11);
  });

  it('keeps something, however long a piece takes', () => {
    expect(piecesOf(beginReadingTurn(TURN_MS), 10 * TURN_MS)).toBe(2);
  });

  it('is longer than what was read again before', () => {
    const turn = beginReadingTurn(TURN_MS);
    vi.advanceTimersByTime(5 * TURN_MS);
    expect(piecesOf(turn, 100)).toBeGreaterThan(50);
  });

  it('ends with a failure that is tried again at once and disturbs nobody', () => {
    expect(failureOf(new ReadingTurnOver())).toMatchObject({
      type: 'ReadingTurnOver',
      nonRetryable: false,
      nextRetryDelay: 100,
      category: 'BENIGN',
    });
  });
});
