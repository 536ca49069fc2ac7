/** Product files are parsed in worker threads, a few at a time, each within limits of time and memory. */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Piscina } from 'piscina';
import type { ProductCheck } from '../domain/product-checks.ts';
import type { ParseResult } from './parse-product.ts';
import type { ParseWorkerData } from './parse-worker.ts';

/** A thread that needs more is broken by the file that it reads; its memory limit ends it, not the process. */
const MAX_HEAP_MB = 128;
/** Young objects are few at a time here; a larger space for them would only be kept. */
const YOUNG_HEAP_MB = 12;
/**
 * Two, or one on a single core. Hostile files take some 100 MB in each thread, so that two stay within 400 MB.
 * Two threads read several hundred genuine files a second, more than the database records.
 */
const DEFAULT_PARSER_THREADS = Math.min(2, availableParallelism());

/** Genuine files take milliseconds. */
const TIMEOUT_MS = 30_000;

export interface ProductParser {
  /** Starts the threads before the first file is there. The workers of the process must have been created. */
  warmUp(): void;
  /**
   * Parses one file. A file on which a thread dies or hangs is refused like any other.
   */
  parse(bytes: Uint8Array): Promise<ParseResult>;
  close(): Promise<void>;
}

export interface ParserOptions {
  /** At least 1 (`PARSER_THREADS`). */
  threads?: number | undefined;
  /** Checks that refuse a file instead of warning (`REFUSED_PRODUCT_CHECKS`). */
  refusedChecks?: readonly ProductCheck[];
  /** Memory of a thread, in MB. */
  heapMb?: number;
  /** For one file, in ms. */
  timeoutMs?: number;
}

export function createProductParser({
  threads = DEFAULT_PARSER_THREADS,
  refusedChecks = [],
  heapMb = MAX_HEAP_MB,
  timeoutMs = TIMEOUT_MS,
}: ParserOptions = {}): ProductParser {
  let pool: Pool | undefined;
  const started = () => {
    pool ??= startPool(threads, heapMb, { refusedChecks });
    return pool;
  };
  return {
    warmUp: () => void started(),
    async parse(bytes) {
      try {
        return await started().run(bytes, { signal: AbortSignal.timeout(timeoutMs) });
      } catch (error) {
        return refusal(error, timeoutMs);
      }
    },
    close: async () => pool?.destroy(),
  };
}

type Pool = Piscina<Uint8Array, ParseResult>;

/**
 * All threads at once, and for good: it takes one half a second to be ready, which the next upload would wait for.
 *
 * The heap options of a process override the resource limits of its threads (Node's documentation of
 * `resourceLimits`). They have served their purpose by now: the heaps of the process, and of the workflows, are there.
 */
function startPool(threads: number, heapMb: number, workerData: ParseWorkerData): Pool {
  setFlagsFromString('--max-old-space-size=0');
  setFlagsFromString('--max-semi-space-size=0');
  const pool: Pool = new Piscina({
    filename: new URL('./parse-worker.ts', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  });
  // A thread that ends between two files: without a listener its end would be the process's. The pool starts another.
  pool.on('error', () => {});
  return pool;
}

function refusal(error: unknown, timeoutMs: number): ParseResult {
  const { name, code } = error as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError') {
    return {
      ok: false,
      reason: `reading it took more than ${timeoutMs / 1000} s; the file is refused`,
      productId: null,
    };
  }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return { ok: false, reason: 'reading it takes too much memory; the file is refused', productId: null };
  }
  throw error;
}
