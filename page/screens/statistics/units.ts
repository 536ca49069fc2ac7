/** The units of the plots: their format, and the distances of the lines of an axis. */
import { formatBytes, formatDuration, formatNumber } from '../../ui/format.ts';

export interface Unit {
  format(value: number): string;
  /** From the smallest. */
  steps: number[];
}

const powers = (base: number, factors: readonly number[], count: number) =>
  Array.from({ length: count }, (_, power) => factors.map((factor) => factor * base ** power)).flat();

const COARSER_THAN_DAYS = [1, 2, 5, 10, 20, 50, 100].map((days) => days * 86_400);

/** Whole numbers. */
export const COUNT: Unit = { format: formatNumber, steps: powers(10, [1, 2, 5], 10) };

export const SECONDS: Unit = {
  format: (seconds) => formatDuration(seconds * 1000),
  steps: [
    ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
    ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
    ...[1, 2, 4, 8, 12].map((hours) => hours * 3_600),
    ...COARSER_THAN_DAYS,
  ],
};

export const BYTES: Unit = {
  format: formatBytes,
  steps: powers(1024, [1, 2, 5, 10, 20, 50, 100, 200, 500], 6),
};
