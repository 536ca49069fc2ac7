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
const GIGABYTE = 1e9;

/** A row of the required capacity, for people: name and value. */
export function rowsOf(inputs: Inputs): [what: string, value: string][] {
  const { productsPerDay, busyHours, archiveDays, historyDays, recordMonths } = inputs;
  const inBusyHours = (perProduct: number) => (productsPerDay * perProduct) / (busyHours * 3600);
  const rates = (perProduct: number) =>
    `${shortNumber((productsPerDay * perProduct) / DAY_SECONDS)} over the day, ${shortNumber(inBusyHours(perProduct))} in the busy hours`;
  const gigabytes = (perProduct: number, days: number) => (productsPerDay * perProduct * days) / GIGABYTE;
  const ofDatabase = (days: number) => gigabytes(inputs.databaseBytesPerProduct, days);
  const histories = gigabytes(inputs.historyBytesPerProduct, historyDays);
  const records = ofDatabase(recordMonths * MONTH_DAYS);
  const archive = gigabytes(inputs.archiveBytesPerProduct, archiveDays);
  const cores = Math.ceil(inBusyHours(inputs.cpuMsPerProduct) / 1000 / inputs.coreLoad);
  const slots = Math.ceil((inBusyHours(REGULATOR_CALLS) * inputs.regulatorCallMs) / 1000);
  const shards = powerOfTwoFrom(inBusyHours(inputs.transitionsPerProduct) / inputs.transitionsPerShardSecond);
  const actions = productsPerDay * inputs.actionsPerProduct * MONTH_DAYS;
  return [
    [`products per day, all within ${busyHours} hours`, shortNumber(productsPerDay)],
    ['products per second', rates(1)],
    [
      `processor cores in the busy hours, each product ${inputs.cpuMsPerProduct} ms, loaded to ${shortNumber(100 * inputs.coreLoad)} % (assumption)`,
      shortNumber(cores),
    ],
    ['calls to the regulator per second, without attachments', rates(REGULATOR_CALLS)],
    [
      `concurrent calls to the regulator in the busy hours, each ${shortNumber(inputs.regulatorCallMs)} ms (assumption)`,
      shortNumber(slots),
    ],
    ['state transitions per second', rates(inputs.transitionsPerProduct)],
    [
      `history shards, each ${inputs.transitionsPerShardSecond} transitions per second (assumption)`,
      shortNumber(shards),
    ],
    [`size of the histories at Temporal, ${historyDays} days`, size(histories)],
    [`inserts that Temporal lists, ${historyDays} days`, shortNumber(productsPerDay * historyDays)],
    ['database transactions per second', rates(inputs.transactionsPerProduct)],
    ['growth of the database', `${size(ofDatabase(1))} a day`],
    ['growth of the database in a month, the size of a partition', size(ofDatabase(MONTH_DAYS))],
    ['size of the database after a year', size(ofDatabase(365))],
    [`size of the database with ${recordMonths} months of records`, size(records)],
    [`size of the archive, ${archiveDays} days, without attachments`, size(archive)],
    ['actions at a hosted Temporal, per month', shortNumber(actions)],
    [
      `price of these cores per month, $ ${inputs.dollarsPerCoreMonth} each (assumption)`,
      dollars(cores * inputs.dollarsPerCoreMonth),
    ],
    [
      `price of these actions per month, $ ${inputs.dollarsPerMillionActions} per million (assumption)`,
      dollars((actions / 1e6) * inputs.dollarsPerMillionActions),
    ],
    [
      `price of these histories per month, $ ${inputs.dollarsPerGigabyteHour} per GB and hour (assumption)`,
      dollars(histories * MONTH_DAYS * 24 * inputs.dollarsPerGigabyteHour),
    ],
    [
      `price of the disk of the database per month, $ ${inputs.dollarsPerDatabaseGigabyteMonth} per GB (assumption)`,
      dollars(records * inputs.dollarsPerDatabaseGigabyteMonth),
    ],
    [
      `price of the bucket of the archive per month, $ ${inputs.dollarsPerArchiveGigabyteMonth} per GB (assumption)`,
      dollars(archive * inputs.dollarsPerArchiveGigabyteMonth),
    ],
  ];
}

/** The number of shards is a power of two, fixed for the life of a cluster. */
function powerOfTwoFrom(least: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, least)));
}

/** Rounded, since the assumptions are less exact than three digits. */
export function shortNumber(value: number): string {
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);
}

const dollars = (value: number) => `$ ${shortNumber(value)}`;
const size = (gigabytes: number) =>
  gigabytes < 1000 ? `${shortNumber(gigabytes)} GB` : `${shortNumber(gigabytes / 1000)} TB`;
