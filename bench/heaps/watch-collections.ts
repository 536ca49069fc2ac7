/** Preloaded into a worker and all its threads: each keeps a file that says how long it has stood still for garbage collection. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { threadId } from 'node:worker_threads';

const WRITE_MS = 200;

const directory = process.env.BENCH_COLLECTIONS_DIRECTORY;
if (directory) {
  const path = join(directory, String(threadId));
  let milliseconds = 0;
  let written = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) milliseconds += duration;
  }).observe({ entryTypes: ['gc'] });
  setInterval(() => {
    if (milliseconds === written) return;
    written = milliseconds;
    writeFileSync(path, String(milliseconds));
  }, WRITE_MS).unref();
}
