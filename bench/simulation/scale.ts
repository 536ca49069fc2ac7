/**
 * Computes the capacity of Temporal, the database, the archive and the regulator that a number of products a
 * day requires, from the cost of one product.
 */
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { COST_FIGURES, type Cost } from '../cost-figures.ts';
import type { Results } from '../results.ts';

export interface Demand {
  productsPerDay: number;
  /** Hours in which they arrive: the installation must handle their rate. */
  busyHours: number;
  /** Retention of the archive in days. */
  archiveDays: number;
  /** Retention of Temporal's histories of ended runs, in days. */
  historyDays: number;
  /** Retention of records in months; the service of today keeps them for ever. */
  recordMonths: number;
}

/**
 * Values that are neither measured nor ours: they come from public price lists and rules of thumb. Replace
 * them with your own.
 */
export interface Assumptions {
  dollarsPerMillionActions: number;
  /** Price of histories of ended runs. */
  dollarsPerGigabyteHour: number;
  /** State transitions that one history shard handles without lock contention. */
  transitionsPerShardSecond: number;
  /** Duration of one regulator call. */
  regulatorCallMs: number;
  /** Price of the database's disk, once. */
  dollarsPerDatabaseGigabyteMonth: number;
  /** Price of the archive in a bucket. */
  dollarsPerArchiveGigabyteMonth: number;
}

export const DEMAND: Omit<Demand, 'productsPerDay'> = {
  busyHours: 10,
  archiveDays: 90,
  historyDays: 7,
  recordMonths: 13,
};

export const ASSUMPTIONS: Assumptions = {
  dollarsPerMillionActions: 50,
  dollarsPerGigabyteHour: 0.00105,
  transitionsPerShardSecond: 5,
  regulatorCallMs: 100,
  dollarsPerDatabaseGigabyteMonth: 0.115,
  dollarsPerArchiveGigabyteMonth: 0.023,
};

/** One call opens the case, and one sends each section; attachments add calls. */
const REGULATOR_CALLS = 1 + INSERT_STEPS.length;

export interface Scale {
  productsPerSecond: { mean: number; busy: number };
  regulatorCallsPerSecond: { mean: number; busy: number };
  /** Concurrent calls in the busy hours: `REGULATOR_CONCURRENCY`. */
  regulatorSlots: number;
  transitionsPerSecond: { mean: number; busy: number };
  transactionsPerSecond: { mean: number; busy: number };
  /** A power of two; it is fixed for the life of a cluster. */
  shards: number;
  historyGigabytes: number;
  /** Ended inserts in Temporal's lists. */
  listedRuns: number;
  databaseGigabytesPerDay: number;
  databaseGigabytesPerMonth: number;
  databaseGigabytesPerYear: number;
  databaseGigabytesKept: number;
  archiveGigabytes: number;
  actionsPerMonth: number;
  dollarsPerMonth: { actions: number; storage: number; database: number; archive: number };
}

const DAY_SECONDS = 24 * 3600;
const MONTH_DAYS = 30;
const MONTH_HOURS = MONTH_DAYS * 24;
const GIGABYTE = 1e9;

export function scaleOf(cost: Cost, demand: Demand, assumptions: Assumptions): Scale {
  const { productsPerDay, busyHours, archiveDays, historyDays, recordMonths } = demand;
  const perSecond = (perProduct: number) => ({
    mean: (productsPerDay * perProduct) / DAY_SECONDS,
    busy: (productsPerDay * perProduct) / (busyHours * 3600),
  });
  const gigabytes = (perProduct: number, days: number) => (productsPerDay * perProduct * days) / GIGABYTE;
  const transitionsPerSecond = perSecond(cost.insertTransitions + cost.importTransitions);
  const historyGigabytes = gigabytes(cost.insertHistoryBytes + cost.importHistoryBytes, historyDays);
  const actionsPerMonth = productsPerDay * (cost.insertActions + cost.importActions) * MONTH_DAYS;
  const regulatorCallsPerSecond = perSecond(REGULATOR_CALLS);
  const databaseGigabytesPerMonth = gigabytes(cost.databaseBytes, MONTH_DAYS);
  const databaseGigabytesKept = databaseGigabytesPerMonth * recordMonths;
  const archiveGigabytes = gigabytes(cost.archiveBytes, archiveDays);
  return {
    productsPerSecond: perSecond(1),
    regulatorCallsPerSecond,
    regulatorSlots: Math.ceil((regulatorCallsPerSecond.busy * assumptions.regulatorCallMs) / 1000),
    transitionsPerSecond,
    transactionsPerSecond: perSecond(cost.transactions),
    shards: powerOfTwoFrom(transitionsPerSecond.busy / assumptions.transitionsPerShardSecond),
    historyGigabytes,
    listedRuns: productsPerDay * historyDays,
    databaseGigabytesPerDay: gigabytes(cost.databaseBytes, 1),
    databaseGigabytesPerMonth,
    databaseGigabytesPerYear: gigabytes(cost.databaseBytes, 365),
    databaseGigabytesKept,
    archiveGigabytes,
    actionsPerMonth,
    dollarsPerMonth: {
      actions: (actionsPerMonth / 1e6) * assumptions.dollarsPerMillionActions,
      storage: historyGigabytes * MONTH_HOURS * assumptions.dollarsPerGigabyteHour,
      database: databaseGigabytesKept * assumptions.dollarsPerDatabaseGigabyteMonth,
      archive: archiveGigabytes * assumptions.dollarsPerArchiveGigabyteMonth,
    },
  };
}

/**
 * The newest measured cost of one product.
 * @param all the oldest commit first
 * @throws Error when no commit has all figures
 */
export function newestCost(all: readonly Results[]): { commit: string; cost: Cost } {
  for (const { commit, figures } of all.toReversed()) {
    const medians = new Map(figures.map(({ name, value }) => [name, value?.median]));
    const entries = Object.entries(COST_FIGURES).map(([key, name]) => [key, medians.get(name)] as const);
    if (entries.every(([, median]) => median !== undefined))
      return { commit, cost: Object.fromEntries(entries) as Cost };
  }
  throw new Error('No results hold the cost of a product: run `npm run bench -- cost` first.');
}

function powerOfTwoFrom(least: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, least)));
}
