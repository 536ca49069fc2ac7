/**
 * Computes the capacity of Temporal, the database, the archive and the regulator that a number of products a
 * day requires, from the cost of one product.
 */
import { INSERT_STEPS } from '../../src/contract/steps.ts';

/**
 * Inputs of the computation, with default and meaning. Costs of a product are those of commit 1f7d3887
 * (bench/README.md). Assumptions are neither measured nor ours: they come from public price lists and rules of
 * thumb. Replace them with your own.
 */
export const INPUTS = {
  productsPerDay: [1_000_000, 'number of products per day'],
  busyHours: [10, 'hours per day in which products arrive'],
  archiveDays: [90, 'days for which the archive is kept'],
  historyDays: [7, 'days for which Temporal keeps the histories of ended runs'],
  recordMonths: [13, 'months for which records are kept'],
  transitionsPerProduct: [6.54, 'state transitions of an insert, and its share of those of its import'],
  actionsPerProduct: [2.045, 'billed actions, likewise'],
  historyBytesPerProduct: [5_561, 'bytes of the histories, likewise'],
  transactionsPerProduct: [7.98, 'database transactions of a product'],
  databaseBytesPerProduct: [15_810, 'bytes of a product in the database'],
  archiveBytesPerProduct: [3_334, 'bytes of a product in the archive, without attachments'],
  dollarsPerMillionActions: [50, 'assumption: price of actions at a hosted Temporal'],
  dollarsPerGigabyteHour: [0.00105, 'assumption: price of retained histories at a hosted Temporal'],
  transitionsPerShardSecond: [5, 'assumption: state transitions per second that one history shard supports'],
  cpuMsPerProduct: [
    80,
    'processor time of a product in all processes, in milliseconds: as measured on two cores, yours differ',
  ],
  coreLoad: [0.5, 'assumption: load of a core in the busy hours'],
  dollarsPerCoreMonth: [30, 'assumption: price of a processor core'],
  regulatorCallMs: [100, 'assumption: duration of a call to the regulator, in milliseconds'],
  dollarsPerDatabaseGigabyteMonth: [0.115, 'assumption: price of the disk of the database'],
  dollarsPerArchiveGigabyteMonth: [0.023, 'assumption: price of the bucket of the archive'],
} as const;

export type Inputs = Record<keyof typeof INPUTS, number>;

/** One call opens the case, and one sends each section; attachments add calls. */
const REGULATOR_CALLS = 1 + INSERT_STEPS.length;

const DAY_SECONDS = 24 * 3600;
const MONTH_DAYS = 30;
const MONTH_HOURS = MONTH_DAYS * 24;
const GIGABYTE = 1e9;

type Scale = ReturnType<typeof scaleOf>;

export function scaleOf(inputs: Inputs) {
  const { productsPerDay, busyHours, archiveDays, historyDays, recordMonths } = inputs;
  const perSecond = (perProduct: number) => ({
    mean: (productsPerDay * perProduct) / DAY_SECONDS,
    busy: (productsPerDay * perProduct) / (busyHours * 3600),
  });
  const gigabytes = (perProduct: number, days: number) => (productsPerDay * perProduct * days) / GIGABYTE;
  const transitionsPerSecond = perSecond(inputs.transitionsPerProduct);
  const historyGigabytes = gigabytes(inputs.historyBytesPerProduct, historyDays);
  const actionsPerMonth = productsPerDay * inputs.actionsPerProduct * MONTH_DAYS;
  const regulatorCallsPerSecond = perSecond(REGULATOR_CALLS);
  const databaseGigabytesPerMonth = gigabytes(inputs.databaseBytesPerProduct, MONTH_DAYS);
  const databaseGigabytesKept = databaseGigabytesPerMonth * recordMonths;
  const archiveGigabytes = gigabytes(inputs.archiveBytesPerProduct, archiveDays);
  const cores = Math.ceil(perSecond(inputs.cpuMsPerProduct).busy / 1000 / inputs.coreLoad);
  return {
    productsPerSecond: perSecond(1),
    /** Cores in the busy hours, of workers, Temporal, PostgreSQL and gateways together. */
    cores,
    regulatorCallsPerSecond,
    /** Concurrent calls in the busy hours: `REGULATOR_CONCURRENCY`. */
    regulatorSlots: Math.ceil((regulatorCallsPerSecond.busy * inputs.regulatorCallMs) / 1000),
    transitionsPerSecond,
    transactionsPerSecond: perSecond(inputs.transactionsPerProduct),
    /** A power of two; it is fixed for the life of a cluster. */
    shards: powerOfTwoFrom(transitionsPerSecond.busy / inputs.transitionsPerShardSecond),
    historyGigabytes,
    /** Ended inserts in Temporal's lists. */
    listedRuns: productsPerDay * historyDays,
    databaseGigabytesPerDay: gigabytes(inputs.databaseBytesPerProduct, 1),
    databaseGigabytesPerMonth,
    databaseGigabytesPerYear: gigabytes(inputs.databaseBytesPerProduct, 365),
    databaseGigabytesKept,
    archiveGigabytes,
    actionsPerMonth,
    dollarsPerMonth: {
      cores: cores * inputs.dollarsPerCoreMonth,
      actions: (actionsPerMonth / 1e6) * inputs.dollarsPerMillionActions,
      storage: historyGigabytes * MONTH_HOURS * inputs.dollarsPerGigabyteHour,
      database: databaseGigabytesKept * inputs.dollarsPerDatabaseGigabyteMonth,
      archive: archiveGigabytes * inputs.dollarsPerArchiveGigabyteMonth,
    },
  };
}

function powerOfTwoFrom(least: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, least)));
}

/** The required capacity for people. */
export function rowsOf(scale: Scale, inputs: Inputs): [what: string, value: string][] {
  const { dollarsPerMonth } = scale;
  return [
    [`products per day, all within ${inputs.busyHours} hours`, shortNumber(inputs.productsPerDay)],
    ['products per second', rates(scale.productsPerSecond)],
    [
      `processor cores in the busy hours, each product ${inputs.cpuMsPerProduct} ms, loaded to ${shortNumber(100 * inputs.coreLoad)} % (assumption)`,
      shortNumber(scale.cores),
    ],
    ['calls to the regulator per second, without attachments', rates(scale.regulatorCallsPerSecond)],
    [
      `concurrent calls to the regulator in the busy hours, each ${shortNumber(inputs.regulatorCallMs)} ms (assumption)`,
      shortNumber(scale.regulatorSlots),
    ],
    ['state transitions per second', rates(scale.transitionsPerSecond)],
    [
      `history shards, each ${inputs.transitionsPerShardSecond} transitions per second (assumption)`,
      shortNumber(scale.shards),
    ],
    [`size of the histories at Temporal, ${inputs.historyDays} days`, gigabytes(scale.historyGigabytes)],
    [`inserts that Temporal lists, ${inputs.historyDays} days`, shortNumber(scale.listedRuns)],
    ['database transactions per second', rates(scale.transactionsPerSecond)],
    ['growth of the database', `${gigabytes(scale.databaseGigabytesPerDay)} a day`],
    [
      'growth of the database in a month, the size of a partition',
      gigabytes(scale.databaseGigabytesPerMonth),
    ],
    ['size of the database after a year', gigabytes(scale.databaseGigabytesPerYear)],
    [
      `size of the database with ${inputs.recordMonths} months of records`,
      gigabytes(scale.databaseGigabytesKept),
    ],
    [
      `size of the archive, ${inputs.archiveDays} days, without attachments`,
      gigabytes(scale.archiveGigabytes),
    ],
    ['actions at a hosted Temporal, per month', shortNumber(scale.actionsPerMonth)],
    [
      `price of these cores per month, $ ${inputs.dollarsPerCoreMonth} each (assumption)`,
      dollars(dollarsPerMonth.cores),
    ],
    [
      `price of these actions per month, $ ${inputs.dollarsPerMillionActions} per million (assumption)`,
      dollars(dollarsPerMonth.actions),
    ],
    [
      `price of these histories per month, $ ${inputs.dollarsPerGigabyteHour} per GB and hour (assumption)`,
      dollars(dollarsPerMonth.storage),
    ],
    [
      `price of the disk of the database per month, $ ${inputs.dollarsPerDatabaseGigabyteMonth} per GB (assumption)`,
      dollars(dollarsPerMonth.database),
    ],
    [
      `price of the bucket of the archive per month, $ ${inputs.dollarsPerArchiveGigabyteMonth} per GB (assumption)`,
      dollars(dollarsPerMonth.archive),
    ],
  ];
}

/** Rounded, since the assumptions are less exact than three digits. */
export function shortNumber(value: number): string {
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);
}

const dollars = (value: number) => `$ ${shortNumber(value)}`;
const gigabytes = (value: number) =>
  value < 1000 ? `${shortNumber(value)} GB` : `${shortNumber(value / 1000)} TB`;
const rates = ({ mean, busy }: { mean: number; busy: number }) =>
  `${shortNumber(mean)} over the day, ${shortNumber(busy)} in the busy hours`;
