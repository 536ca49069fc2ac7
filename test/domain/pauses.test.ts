/** A run that waits for weeks or months stays far from the number of events at which Temporal ends it. */
import { describe, expect, it } from 'vitest';
import { EVENTS_PER_LOOK, nextPause } from '../../src/domain/pauses.ts';
import { readHistories } from '../replay/histories.ts';

const DAY_MS = 86_400_000;
/** Temporal's own: `limit.historyCount.error`. */
const MOST_EVENTS = 51_200;

/** Looks within a time, as the loops of the workflows take them. */
function looksWithin(days: number, firstMs: number, longestMs: number): number {
  let looks = 0;
  let pauseMs = firstMs;
  for (let waitedMs = 0; waitedMs < days * DAY_MS; looks += 1) {
    waitedMs += pauseMs;
    pauseMs = nextPause(pauseMs, waitedMs, longestMs);
  }
  return looks;
}

describe.each([
  ['an import or a batch', 5_000, 15 * 60_000],
  ['a large import', 10_000, 5 * 60_000],
  ['queuing', 30_000, 30_000],
])('%s that waits', (_what, firstMs, longestMs) => {
  it.each([
    [7, 2_000],
    [84, 2_500],
    [365, 4_000],
  ])('has few events in %i days', (days, events) => {
    expect(looksWithin(days, firstMs, longestMs) * EVENTS_PER_LOOK).toBeLessThan(events);
    expect(events).toBeLessThan(MOST_EVENTS / 10);
  });

  it('looks soon at first', () => {
    expect(looksWithin(5 / (24 * 60), firstMs, longestMs)).toBeGreaterThanOrEqual(4);
  });
});

it('uses the stated number of events for a look', async () => {
  const histories = await readHistories();
  // This run waits for an insert that is not its child: nothing else happens during its look.
  const waited = histories.find(({ name }) => name.endsWith('import-resumed.1.package-import'));
  const types = (waited?.history.events ?? []).map(({ eventType }) => String(eventType));
  const look = types.slice(types.indexOf('EVENT_TYPE_TIMER_STARTED'));
  const next = look.indexOf('EVENT_TYPE_MARKER_RECORDED') + 1;
  expect(look.slice(0, 2)).toEqual(['EVENT_TYPE_TIMER_STARTED', 'EVENT_TYPE_TIMER_FIRED']);
  expect(next).toBe(EVENTS_PER_LOOK);
});
