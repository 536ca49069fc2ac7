/** Waiting for an import to end. */
import type { ImportReport, ImportSummary } from '../../src/contract/types.ts';
import type { ApiClient } from './api-client.ts';
import { isTemporary } from './errors.ts';
import type { FollowOptions } from './options.ts';
import { type KnownSummary, packageImportsOf } from './package-imports.ts';
import { pause, type RetryPolicy, retrying } from './retrying.ts';

/** After something has changed; while nothing does, the pauses grow. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const GROWTH = 1.5;
/** A gateway that needs long for an answer is given this many times as long until the next question. */
const REST = 4;
/** An import takes hours sometimes: an outage of some minutes does not end the waiting for it. */
export const OUTAGE: RetryPolicy = { tries: 40, firstPauseMs: 1_000, longestPauseMs: 15_000 };

/**
 * Asks until everything has ended: extraction, inserts, summary e-mail, and inserts that were run again. The
 * products, perhaps thousands, are asked for once, at the end.
 *
 * @throws ApiError, Unreachable, or the reason of the client's signal
 */
export async function followImport(
  client: ApiClient,
  id: number,
  { onSummary, onRetry, firstPauseMs = FIRST_PAUSE_MS }: FollowOptions = {},
): Promise<ImportReport> {
  const { signal } = client;
  const imports = packageImportsOf(client);
  let known: KnownSummary | null = null;
  const patiently = <T>(ask: () => Promise<T>) =>
    retrying(ask, { ...OUTAGE, isWorthRetrying: isTemporary, onRetry, signal });
  let pauseMs = firstPauseMs;
  for (;;) {
    const before: KnownSummary | null = known;
    let askedAt = 0;
    known = await patiently<KnownSummary>(() => {
      askedAt = performance.now();
      return imports.newerSummary(id, before);
    });
    const tookMs = performance.now() - askedAt;
    onSummary?.(known.summary);
    if (hasEnded(known.summary)) return (await patiently(() => imports.report(id))).data;
    const unchanged = before !== null && known === before;
    pauseMs = unchanged ? Math.min(pauseMs * GROWTH, LONGEST_PAUSE_MS) : firstPauseMs;
    await pause(Math.max(pauseMs, tookMs * REST), signal);
  }
}

function hasEnded({ completed_at, progress }: ImportSummary): boolean {
  return completed_at !== null && progress.regulator_inserting === 0;
}
