/** Figures: the time or count of the service, beside a floor measured in the same run, over several rounds. */

/** A measured quantity. */
export interface Kind {
  name: string;
  unit: string;
  /** The work of the floor; null without a comparison. */
  floorIs: string | null;
  /** The target for the ratio to the floor, or for the value itself. */
  target?: { of: 'ratio' | 'value'; atMost?: number; atLeast?: number };
}

/**
 * One round of a figure. Value and floor are measured as close in time as possible: rounds are compared, not
 * their medians.
 */
interface Round {
  value: number;
  floor: number | null;
}

export interface Reading extends Kind, Round {}

/** A reading without a floor, unless `floor` and `floorIs` are given. */
export function reading(name: string, unit: string, value: number, more: Partial<Reading> = {}): Reading {
  return { name, unit, value, floor: null, floorIs: null, ...more };
}

export interface Spread {
  min: number;
  median: number;
  max: number;
}

export interface Figure extends Kind {
  rounds: Round[];
}

/** A measure that this machine or this checkout does not allow. The report shows it instead of leaving it out. */
export interface Skipped {
  name: string;
  reason: string;
}

/** Median and range. The median of an even number of values is the mean of the middle two. @returns null for no values */
export function spreadOf(values: readonly number[]): Spread | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [min, max] = [sorted[0], sorted.at(-1)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.floor(sorted.length / 2)];
  if (min === undefined || max === undefined || lower === undefined || upper === undefined) return null;
  return { min, median: (lower + upper) / 2, max };
}

export function valuesOf({ rounds }: Figure): Spread | null {
  return spreadOf(rounds.map(({ value }) => value));
}

export function floorsOf({ rounds }: Figure): Spread | null {
  return spreadOf(rounds.flatMap(({ floor }) => floor ?? []));
}

/** Ratios to the floor of the same round. @returns null without a floor */
export function ratiosOf({ rounds }: Figure): Spread | null {
  return spreadOf(rounds.flatMap(({ value, floor }) => (floor ? value / floor : [])));
}

/** Ratios to another checkout, round by round. @returns null when that checkout has no such figure */
export function ratiosBetween(ours: Figure, theirs: Figure | undefined): Spread | null {
  return spreadOf(
    ours.rounds.flatMap(({ value }, round) => {
      const other = theirs?.rounds[round]?.value;
      return other ? value / other : [];
    }),
  );
}

/** @returns null without a target, or without a value to compare */
export function isReached(figure: Figure): boolean | null {
  const { target } = figure;
  const median = (target?.of === 'value' ? valuesOf(figure) : ratiosOf(figure))?.median;
  if (!target || median === undefined) return null;
  return median <= (target.atMost ?? Number.POSITIVE_INFINITY) && median >= (target.atLeast ?? 0);
}

/** Collects readings, round by round, into figures in the order of their first reading. */
export function collectFigures(): { add(readings: readonly Reading[]): void; figures(): Figure[] } {
  const figures = new Map<string, Figure>();
  return {
    add(readings) {
      for (const { value, floor, ...kind } of readings) {
        const figure = figures.get(kind.name) ?? { ...kind, rounds: [] };
        figure.rounds.push({ value, floor });
        figures.set(kind.name, figure);
      }
    },
    figures: () => [...figures.values()],
  };
}

/** Measures the duration of some work, in seconds. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
