/** Figures: what ours took or counted, beside a floor measured in the same run, over several rounds. */

/** What is measured. */
export interface Kind {
  name: string;
  unit: string;
  /** What the floor does; null where there is nothing to compare with. */
  floorIs: string | null;
  /** What is to be reached, of the ratio to the floor or of the value itself. */
  target?: { of: 'ratio' | 'value'; atMost?: number; atLeast?: number };
  /** A count says the same on every machine: it is kept, where a time is kept as ratio only. */
  isCount?: boolean;
}

/** One round of it. Measured at the same time, as far as that goes: rounds are compared, not their medians. */
export interface Round {
  value: number;
  floor: number | null;
}

export interface Reading extends Kind, Round {}

export interface Spread {
  min: number;
  median: number;
  max: number;
}

export interface Figure extends Kind {
  rounds: Round[];
}

/** A measure that this machine or this checkout does not allow, said instead of left out. */
export interface Skipped {
  name: string;
  reason: string;
}

/** Of an even number of values the mean of the two in the middle. @returns null for no values */
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

/** How many times as much as the floor of the same round. @returns null without a floor */
export function ratiosOf({ rounds }: Figure): Spread | null {
  return spreadOf(rounds.flatMap(({ value, floor }) => (floor ? value / floor : [])));
}

/** How many times as much as in another checkout, round by round. @returns null when that has no such figure */
export function ratiosBetween(ours: Figure, theirs: Figure | undefined): Spread | null {
  return spreadOf(
    ours.rounds.flatMap(({ value }, round) => {
      const other = theirs?.rounds[round]?.value;
      return other ? value / other : [];
    }),
  );
}

/** @returns null where there is no target, or nothing that could have reached it */
export function isReached(figure: Figure): boolean | null {
  const { target } = figure;
  const median = (target?.of === 'value' ? valuesOf(figure) : ratiosOf(figure))?.median;
  if (!target || median === undefined) return null;
  return median <= (target.atMost ?? Number.POSITIVE_INFINITY) && median >= (target.atLeast ?? 0);
}

/** Collects readings, round by round, into figures in the order in which they first came. */
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

/** Seconds that something takes. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
