/** Waits for the end of an import. */
import { pause, type RetryPolicy } from '../../src/common/retrying.ts';
import type { ImportReport, ImportSummary } from '../../src/contract/types.ts';
import type { ApiClient } from './api-client.ts';
import type { FollowOptions } from './options.ts';
import { type KnownSummary, packageImportsOf } from './package-imports.ts';

/** Pause after a change. The pauses grow while nothing changes. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const GROWTH = 1.5;
/** Minimum pause as a multiple of the last answer time, which spares a slow gateway. */
const REST = 4;
/** An import may take hours, so an outage of some minutes does not end the wait. */
export const OUTAGE: RetryPolicy = { attempts: 40, firstPauseMs: 1_000, longestPauseMs: 15_000 };

/**
 * Polls until everything has ended: reading, inserts, summary e-mail, and repeated inserts. The
 * products, perhaps thousands, are read once, at the end.
 *
 * @throws ApiError, Unreachable, or the reason of the client's signal
 */
export async function followImport(
  client: ApiClient,
  id: number,
  { onSummary, onRetry = client.onRetry, firstPauseMs = FIRST_PAUSE_MS }: FollowOptions = {},
): Promise<ImportReport> {
  let askedAt = 0;
  const retryingClient = client.withRetries({
    ...OUTAGE,
    onRetry(retry) {
      askedAt = performance.now() + retry.pauseMs;
      onRetry?.(retry);
    },
  });
  const imports = packageImportsOf(retryingClient);
  let known: KnownSummary | null = null;
  let pauseMs = firstPauseMs;
  for (;;) {
    const before: KnownSummary | null = known;
    askedAt = performance.now();
    known = await imports.newerSummary(id, before);
    const tookMs = performance.now() - askedAt;
    onSummary?.(known.summary);
    if (hasEnded(known.summary)) return (await imports.report(id)).data;
    const unchanged = before !== null && known === before;
    pauseMs = unchanged ? Math.min(pauseMs * GROWTH, LONGEST_PAUSE_MS) : firstPauseMs;
    await pause(Math.max(pauseMs, tookMs * REST), client.signal);
  }
}

function hasEnded({ completed_at, progress }: ImportSummary): boolean {
  return completed_at !== null && progress.regulator_inserting === 0;
}
