/** Refuses an upload if no worker could process it, so that a client does not send 2 GB in vain. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckResults } from '../../http/health.ts';
import { HttpError } from '../http-error.ts';
import type { GatewayMiddleware } from '../state.ts';

/** Seconds after which a worker or Temporal is usually available again. */
const PROCESSING_RETRY_S = 15;
/** Interval of the checks, which are cached for a second. */
const LOOK_EVERY_MS = 1_000;

export interface ProcessingNeeds {
  /** Checks what processing depends on. Cheap, because the result is cached for a second. */
  ask(): Promise<CheckResults>;
  /** Names of the checks without which an upload gets no answer. */
  needed: readonly string[];
  /** Milliseconds that an upload waits for a restarting process before it is refused. */
  patienceMs: number;
}

export function requireProcessing({ ask, needed, patienceMs }: ProcessingNeeds): GatewayMiddleware {
  async function missing(): Promise<string[]> {
    const { checks } = await ask();
    return needed.filter((name) => checks[name] !== 'ok');
  }

  async function missingAfterPatience(): Promise<string[]> {
    const giveUpAt = performance.now() + patienceMs;
    for (;;) {
      const names = await missing();
      const leftMs = giveUpAt - performance.now();
      if (names.length === 0 || leftMs <= 0) return names;
      await sleep(Math.min(LOOK_EVERY_MS, leftMs));
    }
  }

  return async (ctx, next) => {
    // A repeated request has its answer already, or its import is being processed.
    const names = ctx.state.uploadKey?.known ? [] : await missingAfterPatience();
    if (names.length > 0) {
      const message = 'Nobody can process packages at present. Send the package again later.';
      throw new HttpError('processing_unavailable', message, {
        headers: { 'Retry-After': String(PROCESSING_RETRY_S) },
        cause: `missing: ${names.join(', ')}`,
      });
    }
    await next();
  };
}
