/** By which heaps, threads and connections imports are fastest, and what memory that takes: to choose by, not to keep. */

import { NODE_OPTIONS } from '../../src/processes/node-options.ts';
import { say } from '../../test/support/script.ts';
import { optionOf, type Setting, settingsAround } from '../heaps/settings.ts';
import { type HeapsRound, heapsTable } from '../heaps/table.ts';
import { startWorkers, WITHOUT_WORKERS, type Workers, type WorkerTime } from '../heaps/workers.ts';
import { importOf, type Measure } from '../measure.ts';
import { CAN_MEASURE_CPU } from '../processes.ts';
import type { Service } from '../service.ts';

/** Products after which everything is loaded, compiled and connected. */
const WARM_UP = 20;
/** As the service has it on two cores and more (`PARSER_THREADS`). */
const TODAYS_PARSER_THREADS = 2;

export const heaps: Measure = {
  name: 'heaps',
  onRequest: true,
  env: WITHOUT_WORKERS,

  async missing() {
    const reason = 'this system tells nobody in /proc what CPU and memory a process takes';
    return { parts: CAN_MEASURE_CPU ? [] : [{ name: 'heaps', reason }], isAll: !CAN_MEASURE_CPU };
  },

  async prepare(service, { products }) {
    const today: Setting = {
      insertYoung: optionOf(NODE_OPTIONS, 'max-semi-space-size'),
      importYoung: optionOf(NODE_OPTIONS, 'max-semi-space-size'),
      old: optionOf(NODE_OPTIONS, 'max-old-space-size'),
      parserThreads: TODAYS_PARSER_THREADS,
      poolSize: service.config.database.poolSize,
    };
    const [, ...others] = settingsAround(today);
    const measured = new Map<Setting, HeapsRound[]>([today, ...others].map((setting) => [setting, []]));
    let rounds = 0;
    return {
      async round() {
        const { productsPerSecond: todayPerSecond, ...rest } = await measure(service, today, products);
        measured.get(today)?.push({ ...rest, productsPerSecond: todayPerSecond, todayPerSecond });
        rounds += 1;
        // To and fro: what gets slower with time does so for the first as for the last.
        for (const setting of rounds % 2 === 1 ? others : others.toReversed()) {
          const round = await measure(service, setting, products);
          measured.get(setting)?.push({ ...round, todayPerSecond });
        }
        say(heapsTable(today, measured));
        return [];
      },
      close: async () => {},
    };
  },
};

async function measure(
  service: Service,
  setting: Setting,
  products: number,
): Promise<Omit<HeapsRound, 'todayPerSecond'>> {
  const workers = await startWorkers(service, setting);
  try {
    await importOf(service, Math.min(products, WARM_UP));
    const before = await timesOf(workers);
    const { wholeSeconds } = await importOf(service, products);
    const after = await timesOf(workers);
    const { insertYoung, importYoung, old, parserThreads, poolSize } = setting;
    say(
      `  young ${insertYoung} and ${importYoung}, old ${old}, parser threads ${parserThreads}, pool ${poolSize}: ${(products / wholeSeconds).toFixed(1)} products per second`,
    );
    return {
      productsPerSecond: products / wholeSeconds,
      insertPeak: await workers.inserts.peak(),
      importPeak: await workers.imports.peak(),
      insertCollecting: collectingShare(before.inserts, after.inserts),
      importCollecting: collectingShare(before.imports, after.imports),
    };
  } finally {
    await Promise.all([workers.inserts.stop(), workers.imports.stop()]);
  }
}

async function timesOf({ inserts, imports }: Workers): Promise<Record<keyof Workers, WorkerTime>> {
  const [ofInserts, ofImports] = await Promise.all([inserts.time(), imports.time()]);
  return { inserts: ofInserts, imports: ofImports };
}

function collectingShare(before: WorkerTime, after: WorkerTime): number {
  return (after.collecting - before.collecting) / (after.cpu - before.cpu);
}
