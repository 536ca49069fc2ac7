/** What a number of products a day asks of Temporal, of the database and of the archive, from the cost of one. */
import { COST_FIGURES, type Cost } from '../cost-figures.ts';
import type { Results } from '../results.ts';

export interface Demand {
  productsPerDay: number;
  /** Hours in which they arrive: what is installed has to bear their rate. */
  busyHours: number;
  /** Days that the archive is kept. */
  archiveDays: number;
  /** Days that Temporal keeps the histories of ended runs. */
  historyDays: number;
}

/** Not measured and not ours: taken from public price lists and rules of thumb, to be replaced by one's own. */
export interface Assumptions {
  dollarsPerMillionActions: number;
  /** For histories of ended runs. */
  dollarsPerGigabyteHour: number;
  /** That one history shard bears without its lock being waited for. */
  transitionsPerShardSecond: number;
}

export interface Scale {
  transitionsPerSecond: { mean: number; busy: number };
  transactionsPerSecond: { mean: number; busy: number };
  /** A power of two; it cannot be changed once a cluster runs. */
  shards: number;
  historyGigabytes: number;
  databaseGigabytesPerDay: number;
  databaseGigabytesPerYear: number;
  archiveGigabytes: number;
  actionsPerMonth: number;
  dollarsPerMonth: { actions: number; storage: number };
}

const DAY_SECONDS = 24 * 3600;
const MONTH_DAYS = 30;
const MONTH_HOURS = MONTH_DAYS * 24;
const GIGABYTE = 1e9;

export function scaleOf(cost: Cost, demand: Demand, assumptions: Assumptions): Scale {
  const { productsPerDay, busyHours, archiveDays, historyDays } = demand;
  const perSecond = (perProduct: number) => ({
    mean: (productsPerDay * perProduct) / DAY_SECONDS,
    busy: (productsPerDay * perProduct) / (busyHours * 3600),
  });
  const gigabytes = (perProduct: number, days: number) => (productsPerDay * perProduct * days) / GIGABYTE;
  const transitionsPerSecond = perSecond(cost.insertTransitions + cost.importTransitions);
  const historyGigabytes = gigabytes(cost.insertHistoryBytes + cost.importHistoryBytes, historyDays);
  const actionsPerMonth = productsPerDay * (cost.insertActions + cost.importActions) * MONTH_DAYS;
  return {
    transitionsPerSecond,
    transactionsPerSecond: perSecond(cost.transactions),
    shards: powerOfTwoFrom(transitionsPerSecond.busy / assumptions.transitionsPerShardSecond),
    historyGigabytes,
    databaseGigabytesPerDay: gigabytes(cost.databaseBytes, 1),
    databaseGigabytesPerYear: gigabytes(cost.databaseBytes, 365),
    archiveGigabytes: gigabytes(cost.archiveBytes, archiveDays),
    actionsPerMonth,
    dollarsPerMonth: {
      actions: (actionsPerMonth / 1e6) * assumptions.dollarsPerMillionActions,
      storage: historyGigabytes * MONTH_HOURS * assumptions.dollarsPerGigabyteHour,
    },
  };
}

/**
 * The cost of one product as it was measured last.
 *
 * @param all the oldest commit first
 * @throws when no commit has all figures
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
