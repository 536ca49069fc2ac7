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
      `calls under way in the busy hours, each ${shortNumber(assumptions.regulatorCallMs)} ms (assumption)`,
      shortNumber(scale.regulatorSlots),
    ],
    ['state transitions per second', rates(scale.transitionsPerSecond)],
    [
      `history shards, each ${assumptions.transitionsPerShardSecond} transitions per second (assumption)`,
      shortNumber(scale.shards),
    ],
    [`histories at Temporal, ${historyDays} days`, gigabytes(scale.historyGigabytes)],
    [`inserts that Temporal lists, ${historyDays} days`, shortNumber(scale.listedRuns)],
    ['database transactions per second', rates(scale.transactionsPerSecond)],
    ['growth of the database', `${gigabytes(scale.databaseGigabytesPerDay)} a day`],
    ['a month of it, that is a partition', gigabytes(scale.databaseGigabytesPerMonth)],
    ['the database after a year', gigabytes(scale.databaseGigabytesPerYear)],
    [`the same with ${recordMonths} months kept`, gigabytes(scale.databaseGigabytesKept)],
    [`the archive, ${archiveDays} days, without attachments`, gigabytes(scale.archiveGigabytes)],
    ['actions at a hosted Temporal, per month', shortNumber(scale.actionsPerMonth)],
    [
      `a month of them, a million at $ ${assumptions.dollarsPerMillionActions} (assumption)`,
      dollars(dollarsPerMonth.actions),
    ],
    [
      `a month of those histories, a GB and hour at $ ${assumptions.dollarsPerGigabyteHour} (assumption)`,
      dollars(dollarsPerMonth.storage),
    ],
    [
      `a month of the database's disk, a GB at $ ${assumptions.dollarsPerDatabaseGigabyteMonth} (assumption)`,
      dollars(dollarsPerMonth.database),
    ],
    [
      `a month of the archive's bucket, a GB at $ ${assumptions.dollarsPerArchiveGigabyteMonth} (assumption)`,
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
