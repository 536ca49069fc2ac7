/** Lines of the statistics as series over days or hours: what a plot draws and its table and file list. */

import { STEP_LABELS } from '../../../src/contract/steps.ts';
import { STATUS, type Tone } from '../../ui/status.ts';
import type { Line, Span } from './period.ts';

export interface Series {
  name: string;
  label: string;
  tone: Tone;
  /** One for each day or hour; null where there is nothing to tell. */
  values: (number | null)[];
}

type Outcome = keyof Line['products'];
type Failure = keyof Line['failures'];

const OUTCOMES: Record<Outcome, { label: string; tone: Tone }> = {
  regulator_inserted: STATUS.regulator_inserted,
  regulator_inserting: STATUS.regulator_inserting,
  local: STATUS.local,
  skipped: { label: 'Skipped, unchanged', tone: 'idle' },
  refused: { label: 'File refused', tone: 'warn' },
  regulator_insert_failed: { label: 'Insert failed', tone: 'bad' },
};

const FAILURES: Record<Failure, { label: string; tone: Tone }> = {
  package_unreadable: { label: 'Package unreadable', tone: 'bad' },
  file_refused: { label: 'Product file refused', tone: 'warn' },
  not_queued: { label: 'Not queued', tone: 'idle' },
  insert_not_begun: { label: 'Insert not begun', tone: 'busy' },
  insert_init_validate: { label: `Insert: ${STEP_LABELS.init_validate}`, tone: 'bad' },
  insert_product_details: { label: `Insert: ${STEP_LABELS.product_details}`, tone: 'warn' },
  insert_product_presentation: { label: `Insert: ${STEP_LABELS.product_presentation}`, tone: 'idle' },
  insert_design: { label: `Insert: ${STEP_LABELS.design}`, tone: 'busy' },
  insert_ingredients: { label: `Insert: ${STEP_LABELS.ingredients}`, tone: 'bad' },
  insert_emission: { label: `Insert: ${STEP_LABELS.emission}`, tone: 'warn' },
};

export const clientsOf = (lines: readonly Line[]): string[] =>
  [...new Set(lines.map(({ client_id }) => client_id))].sort();

/** Products by what became of them. */
export const outcomeSeries = (lines: readonly Line[], spans: readonly string[]): Series[] =>
  summed(lines, spans, OUTCOMES, ({ products }) => products);

/** What failed, by kind and step. */
export const failureSeries = (lines: readonly Line[], spans: readonly string[]): Series[] =>
  summed(lines, spans, FAILURES, ({ failures }) => failures);

/** Packages received, in bytes. */
export const receivedSeries = (lines: readonly Line[], spans: readonly string[]): Series[] => [
  {
    name: 'received_bytes',
    label: 'Received',
    tone: 'busy',
    values: sums(lines, spans, (line) => line.received_bytes ?? 0),
  },
];

/**
 * Seconds until a product is inserted. Percentiles of several clients cannot be made of theirs: of each day or hour it
 * is those of the client that waited longest.
 */
export function insertSeries(lines: readonly Line[], spans: readonly string[]): Series[] {
  const of = (pick: (seconds: { p50: number; p95: number }) => number) => {
    const longest = new Map<string, number>();
    for (const { at, insert_seconds } of lines)
      if (insert_seconds !== null) longest.set(at, Math.max(longest.get(at) ?? 0, pick(insert_seconds)));
    return spans.map((at) => longest.get(at) ?? null);
  };
  return [
    { name: 'p50_seconds', label: 'Half within (p50)', tone: 'good', values: of(({ p50 }) => p50) },
    { name: 'p95_seconds', label: '95 % within (p95)', tone: 'warn', values: of(({ p95 }) => p95) },
  ];
}

export function totalOf({ values }: Series): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

/** Those that occur, in a fixed order; all of them where none does. */
function summed<Name extends string>(
  lines: readonly Line[],
  spans: readonly string[],
  kinds: Record<Name, { label: string; tone: Tone }>,
  pick: (line: Line) => Record<Name, number>,
): Series[] {
  const all = (Object.keys(kinds) as Name[]).map((name) => ({
    ...{ name, label: kinds[name].label, tone: kinds[name].tone },
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

/** RFC 4180: the days or hours, and a column for each series. Names and numbers are ours, and need no quotes. */
export function toCsv(by: Span, spans: readonly string[], series: readonly Series[]): string {
  const head = [by, ...series.map(({ name }) => name)].join(',');
  const rows = spans.map((at, index) => [at, ...series.map(({ values }) => values[index] ?? '')].join(','));
  return `${[head, ...rows].join('\r\n')}\r\n`;
}
