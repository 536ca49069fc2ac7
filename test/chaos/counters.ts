/** Compares counters of the processes with the rows in the database, over imports without faults. */
import type { World } from '../support/starters/world.ts';

/** A count during some work, and the number of records of the same events. */
export interface Counted {
  name: string;
  counted: number;
  rows: number;
}

/** A counter by its name, and by its label where it has one. */
const COUNTERS = {
  gateways: [
    'package_import_imports_total{outcome="complete"}',
    'package_import_products_total{outcome="created"}',
    'package_import_queue_results_total{result="queued"}',
  ],
  workers: ['package_import_mails_total{outcome="sent"}'],
} as const;

type Counter = (typeof COUNTERS)[keyof typeof COUNTERS][number];
export type Counts = Record<Counter, number>;

/** Sums over all processes of the kind, now. */
export async function readCounters({ metricsUrls }: World): Promise<Counts> {
  const counts = {} as Counts;
  for (const kind of ['gateways', 'workers'] as const) {
    const pages = await Promise.all(
      metricsUrls[kind].map(async (url) => (await fetch(`${url}/metrics`)).text()),
    );
    for (const name of COUNTERS[kind])
      counts[name] = pages.reduce((sum, page) => sum + figureOf(page, name), 0);
  }
  return counts;
}

/** 0 when nothing was counted under the name yet. */
function figureOf(page: string, name: string): number {
  const line = page.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}

/** @param rows counts of the records, by the same names */
export function countedBetween(before: Counts, after: Counts, rows: Counts): Counted[] {
  return (Object.keys(rows) as Counter[]).map((name) => ({
    name,
    counted: after[name] - before[name],
    rows: rows[name],
  }));
}

export function countsOf(values: {
  imports: number;
  products: number;
  queued: number;
  mails: number;
}): Counts {
  return {
    'package_import_imports_total{outcome="complete"}': values.imports,
    'package_import_products_total{outcome="created"}': values.products,
    'package_import_queue_results_total{result="queued"}': values.queued,
    'package_import_mails_total{outcome="sent"}': values.mails,
  };
}
