/** The thread in which the fuzzer runs: a run that hangs or takes all memory ends it, and not the one who reports. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../src/common/text.ts';
import { InvalidPackage } from '../../src/domain/client-errors.ts';
import { execute, type Kind, makeRun } from './run.ts';

export interface FuzzOrder {
  seed: number;
  /** Number of the first run. */
  first: number;
  /** Number of runs at most; null for as many as there is time for. */
  runs: number | null;
  until: number;
  /** Directory for the package of a failing run. */
  directory: string;
}

export type FuzzReport =
  | { type: 'begun'; run: number }
  | { type: 'passed'; run: number; kind: Kind; refused: boolean; bytes: number }
  | { type: 'failed'; run: number; kind: Kind; reason: string; file: string };

const order = workerData as FuzzOrder;
const report = (message: FuzzReport) => parentPort?.postMessage(message);
const last = order.runs === null ? Number.POSITIVE_INFINITY : order.first + order.runs;

for (let run = order.first; run < last && Date.now() < order.until; run += 1) {
  report({ type: 'begun', run });
  const made = await makeRun(order.seed, run);
  try {
    const reading = await execute(made);
    const refused = reading instanceof InvalidPackage;
    report({ type: 'passed', run, kind: made.kind, refused, bytes: made.zip.length });
  } catch (error) {
    const file = join(order.directory, `fuzz-${order.seed}-${run}.zip`);
    await mkdir(order.directory, { recursive: true });
    await writeFile(file, made.zip);
    const reason = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
    report({ type: 'failed', run, kind: made.kind, reason, file });
    break;
  }
}
