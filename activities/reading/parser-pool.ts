/** Pool of worker threads that unpack and parse product files, within limits of time and memory per file. */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Piscina } from 'piscina';
import type { PackedFile } from '../../src/archive/packed-file.ts';
import { createSemaphore } from '../../src/common/semaphore.ts';
import type { ProductCheck } from '../../src/contract/product-checks.ts';
import { plainReason } from '../../src/contract/reasons.ts';
import { InvalidPackage } from '../../src/domain/client-errors.ts';
import type { ParseResult } from '../../src/products/parse-product.ts';
import type { ParsedInThread, ParseWorkerData } from './parse-worker.ts';

/** Heap limit of a thread. A file that needs more ends the thread, not the process. */
const MAX_HEAP_MB = 128;
/**
 * The objects of a file live until it is read. With half of this size the garbage collector runs twice as often and
 * copies them each time (bench/README.md).
 */
const YOUNG_HEAP_MB = 24;
/**
 * Two, or one on a single core. Hostile files take some 100 MB in each thread, so that two stay within 400 MB. Two
 * threads read several hundred genuine files per second, more than the database records.
 */
const DEFAULT_PARSER_THREADS = Math.min(2, availableParallelism());

/** Limit per file, from the moment that a thread takes it. Genuine files take milliseconds. */
const TIMEOUT_MS = 30_000;

/** A product file and its parse result. */
interface ParsedFile {
  result: ParseResult;
  /** The file as gzip; null if it was refused without one. */
  gzip: Buffer | null;
}

export interface ProductParser {
  /**
   * Parses one file. Its bytes are transferred to the thread. A file on which a thread dies or hangs is refused.
   *
   * @throws InvalidPackage if the file contradicts the archive's directory
   */
  parse(packed: PackedFile): Promise<ParsedFile>;
  close(): Promise<void>;
}

interface ParserOptions {
  /** At least 1. */
  threads?: number | undefined;
  /** Checks that refuse a file instead of warning (`REFUSED_PRODUCT_CHECKS`). */
  refusedChecks?: readonly ProductCheck[];
  /** Memory of a thread, in MB. */
  heapMb?: number;
  /** Time limit per file in its thread, in ms. */
  timeoutMs?: number;
}

export function createProductParser({
  threads = DEFAULT_PARSER_THREADS,
  refusedChecks = [],
  heapMb = MAX_HEAP_MB,
  timeoutMs = TIMEOUT_MS,
}: ParserOptions = {}): ProductParser {
  let pool: Pool | undefined;
  /** A thread parses one file at a time, in order of arrival. A file waits here, outside of its time limit. */
  const freeThreads = createSemaphore(threads);
  return {
    async parse(packed) {
      const release = await freeThreads.reserve(1);
      try {
        const options = { signal: AbortSignal.timeout(timeoutMs), transferList: [packed.bytes.buffer] };
        pool ??= startPool(threads, heapMb, { refusedChecks });
        return await pool
          .run(packed, options)
          .then(fileOf, (error: unknown) => ({ result: refusal(error, timeoutMs), gzip: null }));
      } finally {
        release();
      }
    },
    close: async () => pool?.destroy(),
  };
}

type Pool = Piscina<PackedFile, ParsedInThread>;

/**
 * Starts all threads at once and keeps them: a thread takes half a second to start, which would delay the next upload.
 *
 * The heap options of a process override the resource limits of its threads (Node's documentation of `resourceLimits`).
 * They are no longer needed here: the heaps of the process and of the workflows exist already.
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
  // A thread that ends between two files emits an error. Without a listener that error would end the process. The pool
  // replaces the thread.
  pool.on('error', () => {});
  return pool;
}

function fileOf(parsed: ParsedInThread): ParsedFile {
  if ('damaged' in parsed) throw new InvalidPackage(parsed.damaged);
  const { buffer } = parsed.gzip;
  return { result: JSON.parse(parsed.result) as ParseResult, gzip: Buffer.from(buffer) };
}

/** @throws errors that the file did not cause */
function refusal(error: unknown, timeoutMs: number): ParseResult {
  const { name, code } = error as NodeJS.ErrnoException;
  const refused = (text: string): ParseResult => ({
    ok: false,
    reasons: [plainReason(text)],
    productId: null,
  });
  if (name === 'AbortError' || name === 'TimeoutError')
    return refused(`reading the file took longer than ${timeoutMs / 1000} s`);
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return refused('reading the file takes too much memory');
  throw error;
}
