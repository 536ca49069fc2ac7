/** How long to wait between two looks at something of which nobody knows how long it takes. */

/** Events of a history that one look takes: a timer's two, a workflow task's three, and what was found. */
export const EVENTS_PER_LOOK = 6;

/** Looks that are taken while what has been waited for grows to e times as much. */
const LOOKS = 24;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Twice the pause before it, up to `longestMs`; but never much less than a 24th of what has been waited already, up to a day.
 * So weeks of waiting take hundreds of events, of the 51,200 at which Temporal ends a run, and what nobody is told of is
 * noticed 4 % late.
 *
 * @param pauseMs the pause before it
 * @param waitedMs since the first look
 */
export function nextPause(pauseMs: number, waitedMs: number, longestMs: number): number {
  const longest = Math.max(longestMs, Math.min(waitedMs / LOOKS, DAY_MS));
  return Math.floor(Math.min(pauseMs * 2, longest));
}
