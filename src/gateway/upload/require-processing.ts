/** Refuses an upload that no worker could process, so that a client does not send 2 GB in vain. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckResults, cachedChecks } from '../../http/health.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';

/** Seconds after which a worker or Temporal is usually available again. */
const PROCESSING_RETRY_S = 15;
/** Interval of the checks, which are cached for a second. */
const LOOK_EVERY_MS = 1_000;

/** Makes the check. It waits for a restarting process before it refuses. @throws HttpError 503 */
export function createProcessingCheck({
  processing,
  limits: { processingPatienceMs },
  logger,
}: Pick<GatewayDependencies, 'processing' | 'limits' | 'logger'>): () => Promise<void> {
  const ask = cachedChecks(processing.uploads, logger);
  return async () => {
    const giveUpAt = performance.now() + processingPatienceMs;
    for (;;) {
      const { ok, checks } = await ask();
      if (ok) return;
      const leftMs = giveUpAt - performance.now();
      if (leftMs <= 0) throw processingUnavailable(checks);
      await sleep(Math.min(LOOK_EVERY_MS, leftMs));
    }
  };
}

function processingUnavailable(checks: CheckResults['checks']): HttpError {
  const missing = Object.keys(checks).filter((name) => checks[name] !== 'ok');
  const message =
    'No package can be processed now: Temporal or a worker is unavailable. Send the package again later.';
  return new HttpError('processing_unavailable', message, {
    headers: { 'Retry-After': String(PROCESSING_RETRY_S) },
    cause: `missing: ${missing.join(', ')}`,
  });
}
