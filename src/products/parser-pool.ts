/** Product files are parsed in worker threads, a few at a time, each within limits of time and memory. */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { ParseResult } from './parse-product.ts';

/** A thread that needs more is broken by the file that it reads; its memory limit ends it, not the process. */
const MAX_HEAP_MB = 192;
/** Genuine files take milliseconds. */
const TIMEOUT_MS = 30_000;

export interface ProductParser {
  /**
   * Parses one file. A file on which a thread dies or hangs is refused like any other.
   *
   * @param bytes are handed over: the caller must not use them afterwards unless `keep` is set
   */
  parse(bytes: Uint8Array): Promise<ParseResult>;
  close(): Promise<void>;
}

export function createProductParser({ threads = Math.max(1, availableParallelism()) } = {}): ProductParser {
  const pool = new Piscina<Uint8Array, ParseResult>({
    filename: new URL('./parse-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: 32 },
  });
  return {
    async parse(bytes) {
      try {
        return await pool.run(bytes, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      } catch (error) {
        return refusal(error);
      }
    },
    close: () => pool.destroy(),
  };
}

function refusal(error: unknown): ParseResult {
  const { name, code } = error as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError') {
    return {
      ok: false,
      reason: `reading it took more than ${TIMEOUT_MS / 1000} s; the file is refused`,
      productId: null,
    };
  }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return { ok: false, reason: 'reading it takes too much memory; the file is refused', productId: null };
  }
  throw error;
}
