// @vitest-environment happy-dom
/** Lines of the statistics become series, tables and files. */
import { expect, it } from 'vitest';
import { FAILURE_KINDS, IMPORT_STATUSES, PRODUCT_OUTCOMES } from '../../src/contract/statuses.ts';
import {
  clientsOf,
  csvOf,
  failureSeries,
  insertSeries,
  type Line,
  lineOf,
  outcomeSeries,
  PERIODS,
  receivedSeries,
  rowsOf,
  spansOf,
  stacked,
} from '../screens/statistics/series.ts';

const zero = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;

const line = (at: string, client: string, rest: Partial<Line> = {}): Line => ({
  id: `${at} ${client}`,
  at,
  client_id: client,
  imports: zero(IMPORT_STATUSES),
  insert_seconds: null,
  received_bytes: 0,
  products: zero(PRODUCT_OUTCOMES),
  failures: zero(FAILURE_KINDS),
  counted_at: '2026-03-01T00:00:00.000Z',
  ...rest,
});
const DAYS = ['2026-02-27', '2026-02-28', '2026-03-01'];

const period = (days: number) => PERIODS.find((one) => one.days === days) ?? PERIODS[0];

it('days are counted in UTC, over the end of a month', () => {
  const days = spansOf(period(30), new Date('2026-03-01T23:59:59Z'));
  expect([days.length, days[0], ...days.slice(-3)]).toEqual([30, '2026-01-31', ...DAYS]);
});

it('hours end with the current one', () => {
  const now = new Date('2026-03-01T01:30:00Z');
  const hours = spansOf(period(1), now);
  expect([hours.length, hours[0], hours.at(-2), hours.at(-1)]).toEqual([
    ...[24, '2026-02-28T02:00Z', '2026-03-01T00:00Z', '2026-03-01T01:00Z'],
  ]);
  expect([spansOf(period(3), now).length, spansOf(period(3), now)[0]]).toEqual([72, '2026-02-26T02:00Z']);
});

it('a line belongs to its day or its hour', () => {
  const { id: _, at: __, ...rest } = line('', 'a');
  const schema = { ...rest, day: '2026-03-01', begins_at: '2026-03-01T13:00:00.000Z' };
  expect([lineOf(schema, 'day').at, lineOf(schema, 'hour').at]).toEqual(['2026-03-01', '2026-03-01T13:00Z']);
  expect([lineOf(schema, 'day').id, lineOf(schema, 'hour').id]).toEqual(['2026-03-01/a', '2026-03-01T13/a']);
});

it('series add up clients, have zero for days without imports, and leave out kinds that never occur', () => {
  const products = (regulator_inserted: number, refused: number) =>
    ({ products: { ...zero(PRODUCT_OUTCOMES), regulator_inserted, refused } }) as Partial<Line>;
  const lines = [line('2026-03-01', 'a', products(3, 0)), line('2026-03-01', 'b', products(4, 1))];
  const series = outcomeSeries([...lines, line('2026-02-27', 'a', products(1, 0))], DAYS);
  expect(series.map(({ name, values }) => [name, values])).toEqual([
    ['regulator_inserted', [1, 0, 7]],
    ['refused', [0, 0, 1]],
  ]);
  expect(stacked(series)).toEqual([
    [1, 0, 7],
    [1, 0, 8],
  ]);
  expect(clientsOf(lines)).toEqual(['a', 'b']);
});

it('every kind that the service counts has a label', () => {
  const all = [line('2026-03-01', 'a')];
  expect(
    outcomeSeries(all, DAYS)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...PRODUCT_OUTCOMES].sort());
  expect(
    failureSeries(all, DAYS)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...FAILURE_KINDS].sort());
});

it('percentiles of a day are those of the slowest client, or null without inserts', () => {
  const lines = [
    line('2026-02-27', 'a', { insert_seconds: { p50: 2, p95: 9 } }),
    line('2026-02-27', 'b', { insert_seconds: { p50: 5, p95: 6 } }),
    line('2026-02-28', 'a'),
  ];
  expect(insertSeries(lines, DAYS).map(({ values }) => values)).toEqual([
    [5, null, null],
    [9, null, null],
  ]);
});

it('received bytes are added up for each day', () => {
  const lines = [line('2026-02-27', 'a'), line('2026-03-01', 'a', { received_bytes: 5e9 })];
  expect(receivedSeries(lines, DAYS)[0]?.values).toEqual([0, 0, 5e9]);
});

it('a CSV file has empty cells for missing values', () => {
  const lines = [line('2026-02-27', 'a', { insert_seconds: { p50: 2.5, p95: 9 } })];
  expect(csvOf(rowsOf('day', DAYS, insertSeries(lines, DAYS)))).toBe(
    'day,p50_seconds,p95_seconds\r\n2026-02-27,2.5,9\r\n2026-02-28,,\r\n2026-03-01,,\r\n',
  );
});

it('a CSV file contains no formula in names of clients', () => {
  expect(csvOf([['=1+1,"x"', -1]])).toBe('"\'=1+1,""x""",-1\r\n');
});
