// @vitest-environment happy-dom
/** Lines of the statistics become series, tables and files. */
import { expect, it } from 'vitest';
import { daysBetween, type Line, lastDays } from '../../src/app/screens/statistics/period.ts';
import {
  clientsOf,
  failureSeries,
  insertSeries,
  outcomeSeries,
  receivedSeries,
  stacked,
  toCsv,
} from '../../src/app/screens/statistics/series.ts';
import { waitingCsv } from '../../src/app/screens/statistics/waiting.tsx';
import { FAILURE_KINDS, PRODUCT_OUTCOMES } from '../../src/domain/statistics.ts';

const zero = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 0]));

const line = (day: string, client: string, rest: Partial<Line> = {}): Line => ({
  ...{ day, client_id: client, imports: zero([]), insert_seconds: null, received_bytes: null },
  products: zero(PRODUCT_OUTCOMES) as Line['products'],
  failures: zero(FAILURE_KINDS) as Line['failures'],
  counted_at: '2026-03-01T00:00:00.000Z',
  ...rest,
});
const DAYS = ['2026-02-27', '2026-02-28', '2026-03-01'];

it('counts days in UTC, over the end of a month and the change of the clocks', () => {
  expect(daysBetween('2026-02-27', '2026-03-01')).toEqual(DAYS);
  expect(daysBetween('2026-03-28', '2026-03-31')).toHaveLength(4);
  expect(lastDays(30, new Date('2026-03-01T23:59:59Z'))).toEqual({ from: '2026-01-31', to: '2026-03-01' });
});

it('adds up clients, has a zero for days without imports, and leaves out what never occurs', () => {
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

it('has a name for everything that the service counts', () => {
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

it('makes no percentiles of percentiles: the slowest client of a day, nothing where nothing was inserted', () => {
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

it('takes days that were counted without sizes for none', () => {
  const lines = [line('2026-02-27', 'a'), line('2026-03-01', 'a', { received_bytes: 5e9 })];
  expect(receivedSeries(lines, DAYS)[0]?.values).toEqual([0, 0, 5e9]);
});

it('writes files: no number where there is none', () => {
  const lines = [line('2026-02-27', 'a', { insert_seconds: { p50: 2.5, p95: 9 } })];
  expect(toCsv(DAYS, insertSeries(lines, DAYS))).toBe(
    'day,p50_seconds,p95_seconds\r\n2026-02-27,2.5,9\r\n2026-02-28,,\r\n2026-03-01,,\r\n',
  );
});

it('writes names of clients so that no spreadsheet computes with them', () => {
  const csv = waitingCsv([{ client_id: '=1+1,"x"', imports: 1, inserting: 2 }]);
  expect(csv).toBe('client_id,imports,inserting\r\n"\'=1+1,""x""",1,2\r\n');
});
