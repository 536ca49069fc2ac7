/** Polling intervals for waits of unknown length. */

/** Number of polls while the waited time grows by the factor e. */
const LOOKS = 24;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Doubles the pause, up to `longestMs`. The pause is never much shorter than 1/24 of the waited time, up to a day.
 * Weeks of waiting therefore take hundreds of events; Temporal ends a run at 51,200. An unannounced change is
 * noticed 4 % late.
 *
 * @param pauseMs the previous pause
 * @param waitedMs since the first poll
 */
export function nextPause(pauseMs: number, waitedMs: number, longestMs: number): number {
  const longest = Math.max(longestMs, Math.min(waitedMs / LOOKS, DAY_MS));
  return Math.floor(Math.min(pauseMs * 2, longest));
}
