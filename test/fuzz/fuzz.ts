/** Runs the fuzzer for some time and says what it found. */
import { Worker } from 'node:worker_threads';
import type { FuzzOrder, FuzzReport } from './fuzz-worker.ts';
import type { Kind } from './run.ts';

/** A run takes milliseconds. */
const HANGS_AFTER_MS = 30_000;
const MAX_HEAP_MB = 512;

export interface FuzzResult {
  runs: number;
  /** Number of runs with a refused package. */
  refused: number;
  byKind: Partial<Record<Kind, number>>;
  seconds: number;
  /** The first run that failed. */
  failure: { run: number; reason: string; file: string | null } | null;
}

/** @param say gets a line about the progress now and then */
export async function fuzz(
  order: Omit<FuzzOrder, 'until'> & { seconds: number },
  say: (line: string) => void,
): Promise<FuzzResult> {
  const { seconds, ...rest } = order;
  const begun = Date.now();
  const result: FuzzResult = { runs: 0, refused: 0, byKind: {}, seconds: 0, failure: null };
  const workerData: FuzzOrder = { ...rest, until: begun + seconds * 1000 };
  const thread = new Worker(new URL('fuzz-worker.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  let current = order.first;
  let lastSign = Date.now();
  const fail = (reason: string, file: string | null = null) => {
    result.failure ??= { run: current, reason, file };
  };
  const watch = setInterval(() => {
    say(`${result.runs} runs, ${rate(result.runs, begun)} per second`);
    if (Date.now() - lastSign < HANGS_AFTER_MS) return;
    fail(`The run did not end within ${HANGS_AFTER_MS / 1000} s`);
    void thread.terminate();
  }, 5_000);
  thread.on('message', (message: FuzzReport) => {
    lastSign = Date.now();
    current = message.run;
    if (message.type === 'failed') fail(message.reason, message.file);
    if (message.type !== 'passed') return;
    result.runs += 1;
    result.refused += message.refused ? 1 : 0;
    result.byKind[message.kind] = (result.byKind[message.kind] ?? 0) + 1;
  });
  thread.on('error', (error) => fail(`The thread died: ${error.message}`));
  await new Promise((resolve) => thread.once('exit', resolve));
  clearInterval(watch);
  result.seconds = (Date.now() - begun) / 1000;
  return result;
}

function rate(runs: number, since: number): string {
  return (runs / Math.max(0.001, (Date.now() - since) / 1000)).toFixed(1);
}
