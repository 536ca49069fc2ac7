/** Lines of the statistics as series over days or hours in UTC, for plots, tables and files. */
import { type Span, STATUS_LABELS } from '../../../src/contract/statuses.ts';
import { STEP_LABELS } from '../../../src/contract/steps.ts';
import type { StatisticsLine as Schema } from '../../../src/contract/types.ts';

export interface Line extends Omit<Schema, 'day' | 'begins_at'> {
  /** Its name in the API, which the cursor of a page is as well. */
  id: string;
  /** Its day or hour, as in `spansOf`. */
  at: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Periods of up to three days are by hour: a plot has room for 72 bars. */
export const PERIODS = [
  { days: 1, by: 'hour', label: 'Last 24 hours' },
  { days: 3, by: 'hour', label: 'Last 3 days' },
  { days: 7, by: 'day', label: 'Last 7 days' },
  { days: 30, by: 'day', label: 'Last 30 days' },
  { days: 90, by: 'day', label: 'Last 90 days' },
  { days: 365, by: 'day', label: 'Last year' },
] as const satisfies readonly { days: number; by: Span; label: string }[];

export type Period = (typeof PERIODS)[number];

/** The day `2026-01-31`, or the hour `2026-01-31T13:00Z`. */
const nameOf = (time: Date, by: Span): string =>
  by === 'day' ? dayOf(time) : `${time.toISOString().slice(0, 'yyyy-mm-ddThh'.length)}:00Z`;

const dayOf = (time: Date): string => time.toISOString().slice(0, 'yyyy-mm-dd'.length);

/** Without the marks of ISO 8601. */
export const readable = (at: string): string => at.replace('T', ' ').replace('Z', '');

/** Every day or hour of a period, the current one last. */
export function spansOf({ days, by }: Period, now = new Date()): string[] {
  const count = by === 'day' ? days : days * 24;
  const ms = by === 'day' ? DAY_MS : HOUR_MS;
  return Array.from({ length: count }, (_, n) => nameOf(new Date(now.getTime() - (count - 1 - n) * ms), by));
}

/** The day of a day or hour. */
export const dayIn = (at: string): string => at.slice(0, 'yyyy-mm-dd'.length);

export function lineOf({ day: _, begins_at, ...rest }: Schema, by: Span): Line {
  const at = nameOf(new Date(begins_at), by);
  return { ...rest, id: `${at.replace(':00Z', '')}/${rest.client_id}`, at };
}

/** The token `--chart-<colour>` of styles/tokens.css. */
type Colour = 'green' | 'blue' | 'grey' | 'purple' | 'amber' | 'red' | 'teal' | 'pink' | 'brown' | 'olive';

export interface Series {
  name: string;
  label: string;
  colour: Colour;
  isDashed?: boolean;
  /** One for each day or hour; null without data. */
  values: (number | null)[];
}

type Outcome = keyof Line['products'];
type Failure = keyof Line['failures'];
type Kinds<Name extends string> = Readonly<Record<Name, { label: string; colour: Colour }>>;

const OUTCOMES: Kinds<Outcome> = {
  regulator_inserted: { label: STATUS_LABELS.regulator_inserted, colour: 'green' },
  regulator_inserting: { label: STATUS_LABELS.regulator_inserting, colour: 'blue' },
  local: { label: STATUS_LABELS.local, colour: 'grey' },
  skipped: { label: 'Skipped, unchanged', colour: 'purple' },
  refused: { label: 'File refused', colour: 'amber' },
  regulator_insert_failed: { label: 'Insert failed', colour: 'red' },
};

const FAILURES: Kinds<Failure> = {
  package_unreadable: { label: 'Package unreadable', colour: 'grey' },
  file_refused: { label: 'Product file refused', colour: 'amber' },
  not_queued: { label: 'Not queued', colour: 'purple' },
  insert_not_begun: { label: 'Insert not started', colour: 'blue' },
  insert_init_validate: { label: `Insert: ${STEP_LABELS.init_validate}`, colour: 'red' },
  insert_product_details: { label: `Insert: ${STEP_LABELS.product_details}`, colour: 'teal' },
  insert_product_presentation: { label: `Insert: ${STEP_LABELS.product_presentation}`, colour: 'brown' },
  insert_design: { label: `Insert: ${STEP_LABELS.design}`, colour: 'pink' },
  insert_ingredients: { label: `Insert: ${STEP_LABELS.ingredients}`, colour: 'olive' },
  insert_emission: { label: `Insert: ${STEP_LABELS.emission}`, colour: 'green' },
};

export const clientsOf = (lines: readonly Line[]): string[] =>
  [...new Set(lines.map(({ client_id }) => client_id))].sort();

/** Products by outcome. */
export const outcomeSeries = (lines: readonly Line[], spans: readonly string[]): Series[] =>
  summed(lines, spans, OUTCOMES, ({ products }) => products);

/** Failures by kind and step. */
export const failureSeries = (lines: readonly Line[], spans: readonly string[]): Series[] =>
  summed(lines, spans, FAILURES, ({ failures }) => failures);

/** Packages received, in bytes. */
export const receivedSeries = (lines: readonly Line[], spans: readonly string[]): Series[] => [
  {
    name: 'received_bytes',
    label: 'Received',
    colour: 'blue',
    values: sums(lines, spans, (line) => line.received_bytes),
  },
];

/**
 * Seconds until a product is inserted: of each day or hour the percentiles of the slowest client, since percentiles of
 * several clients cannot be added up.
 */
export function insertSeries(lines: readonly Line[], spans: readonly string[]): Series[] {
  const of = (pick: (seconds: { p50: number; p95: number }) => number) => {
    const longest = new Map<string, number>();
    for (const { at, insert_seconds } of lines)
      if (insert_seconds !== null) longest.set(at, Math.max(longest.get(at) ?? 0, pick(insert_seconds)));
    return spans.map((at) => longest.get(at) ?? null);
  };
  return [
    { name: 'p50_seconds', label: 'Median (p50)', colour: 'green', values: of(({ p50 }) => p50) },
    {
      name: 'p95_seconds',
      label: '95th percentile (p95)',
      colour: 'amber',
      isDashed: true,
      values: of(({ p95 }) => p95),
    },
  ];
}

export function totalOf({ values }: Series): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

/** The kinds that occur, in a fixed order; all kinds where none occurs. */
function summed<Name extends string>(
  lines: readonly Line[],
  spans: readonly string[],
  kinds: Kinds<Name>,
  pick: (line: Line) => Record<Name, number>,
): Series[] {
  const all = (Object.keys(kinds) as Name[]).map((name) => ({
    name,
    ...kinds[name],
    values: sums(lines, spans, (line) => pick(line)[name]),
  }));
  const some = all.filter((series) => totalOf(series) > 0);
  return some.length > 0 ? some : all;
}

function sums(lines: readonly Line[], spans: readonly string[], pick: (line: Line) => number): number[] {
  const bySpan = new Map<string, number>();
  for (const line of lines) bySpan.set(line.at, (bySpan.get(line.at) ?? 0) + pick(line));
  return spans.map((at) => bySpan.get(at) ?? 0);
}

/** Each series on top of those before it. */
export function stacked(series: readonly Series[]): number[][] {
  let below: number[] | undefined;
  return series.map(({ values }) => {
    const top = values.map((value, index) => (value ?? 0) + (below?.[index] ?? 0));
    below = top;
    return top;
  });
}

export type CsvRows = readonly (readonly (string | number)[])[];

/** The days or hours of a CSV file, and a column for each series. */
export function rowsOf(by: Span, spans: readonly string[], series: readonly Series[]): CsvRows {
  const head = [by, ...series.map(({ name }) => name)];
  return [head, ...spans.map((at, index) => [at, ...series.map(({ values }) => values[index] ?? '')])];
}

/** RFC 4180. No text is a formula for a spreadsheet. */
export function csvOf(rows: CsvRows): string {
  return rows.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(value: string | number): string {
  const isFormula = typeof value === 'string' && /^[=+\-@\t\r]/.test(value);
  const text = isFormula ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
