/** What the settings come to, as rows of the table in bench/README.md. */
import { type Spread, spreadOf } from '../figure.ts';
import type { Setting } from './settings.ts';

/** One import with one setting. */
export interface HeapsRound {
  productsPerSecond: number;
  /** Of the same round with today's setting. */
  todayPerSecond: number;
  /** MB. */
  insertPeak: number;
  importPeak: number;
  /** Parts of 1. */
  insertCollecting: number;
  importCollecting: number;
}

const HEAD = [
  '| young: inserts | young: imports | old | parser threads | pool | products per second, against today | peak MB: inserts, imports | share of CPU in garbage collection: inserts, imports |',
  '|---|---|---|---|---|---|---|---|',
];

/** @param today in bold where a row differs from it, and wholly bold itself */
export function heapsTable(today: Setting, measured: ReadonlyMap<Setting, readonly HeapsRound[]>): string {
  const rows = [...measured].map(([setting, rounds]) => {
    const median = (of: (round: HeapsRound) => number) => spreadOf(rounds.map(of))?.median ?? Number.NaN;
    const cell = (key: keyof Setting) =>
      setting === today || setting[key] !== today[key] ? `**${setting[key]}**` : setting[key];
    const share = (of: (round: HeapsRound) => number) => `${(median(of) * 100).toFixed(1)} %`;
    const megabytes = (of: (round: HeapsRound) => number) => Math.round(median(of));
    return [
      ...(['insertYoung', 'importYoung', 'old', 'parserThreads', 'poolSize'] as const).map(cell),
      setting === today
        ? '1'
        : ratio(spreadOf(rounds.map((one) => one.productsPerSecond / one.todayPerSecond))),
      `${megabytes((one) => one.insertPeak)}, ${megabytes((one) => one.importPeak)}`,
      `${share((one) => one.insertCollecting)}, ${share((one) => one.importCollecting)}`,
    ].join(' | ');
  });
  return [...HEAD, ...rows.map((row) => `| ${row} |`)].join('\n');
}

function ratio(spread: Spread | null): string {
  if (!spread) return '';
  const { min, median, max } = spread;
  return `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}
