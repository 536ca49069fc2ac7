/** Formats the required capacity for people. */
import type { Assumptions, Demand, Scale } from './scale.ts';

export function rowsOf(
  scale: Scale,
  { productsPerDay, busyHours, historyDays, recordMonths, archiveDays }: Demand,
  assumptions: Assumptions,
): [what: string, value: string][] {
  const { dollarsPerMonth } = scale;
  return [
    [`products per day, all within ${busyHours} hours`, shortNumber(productsPerDay)],
    ['products per second', rates(scale.productsPerSecond)],
    ['calls to the regulator per second, without attachments', rates(scale.regulatorCallsPerSecond)],
    [
      `concurrent calls to the regulator in the busy hours, each ${shortNumber(assumptions.regulatorCallMs)} ms (assumption)`,
      shortNumber(scale.regulatorSlots),
    ],
    ['state transitions per second', rates(scale.transitionsPerSecond)],
    [
      `history shards, each ${assumptions.transitionsPerShardSecond} transitions per second (assumption)`,
      shortNumber(scale.shards),
    ],
    [`size of the histories at Temporal, ${historyDays} days`, gigabytes(scale.historyGigabytes)],
    [`inserts that Temporal lists, ${historyDays} days`, shortNumber(scale.listedRuns)],
    ['database transactions per second', rates(scale.transactionsPerSecond)],
    ['growth of the database', `${gigabytes(scale.databaseGigabytesPerDay)} a day`],
    [
      'growth of the database in a month, the size of a partition',
      gigabytes(scale.databaseGigabytesPerMonth),
    ],
    ['size of the database after a year', gigabytes(scale.databaseGigabytesPerYear)],
    [`size of the database with ${recordMonths} months of records`, gigabytes(scale.databaseGigabytesKept)],
    [`size of the archive, ${archiveDays} days, without attachments`, gigabytes(scale.archiveGigabytes)],
    ['actions at a hosted Temporal, per month', shortNumber(scale.actionsPerMonth)],
    [
      `price of these actions per month, $ ${assumptions.dollarsPerMillionActions} per million (assumption)`,
      dollars(dollarsPerMonth.actions),
    ],
    [
      `price of these histories per month, $ ${assumptions.dollarsPerGigabyteHour} per GB and hour (assumption)`,
      dollars(dollarsPerMonth.storage),
    ],
    [
      `price of the disk of the database per month, $ ${assumptions.dollarsPerDatabaseGigabyteMonth} per GB (assumption)`,
      dollars(dollarsPerMonth.database),
    ],
    [
      `price of the bucket of the archive per month, $ ${assumptions.dollarsPerArchiveGigabyteMonth} per GB (assumption)`,
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
