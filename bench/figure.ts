/** One figure: what ours took, beside the least that anybody could need for it on this machine at this moment. */
export interface Figure {
  name: string;
  ours: number;
  floor: number;
  unit: 's' | 'MB' | 'ms per product';
  /** What the floor does. */
  floorIs: string;
}

/** How many times as much as the floor: the only part that compares between machines. */
export function ratioOf({ ours, floor }: Figure): number {
  return ours / floor;
}

/** Seconds that something takes. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * Runs both in turns, so that what else the machine does hits both, and gives the medians.
 *
 * @param rounds odd
 */
export async function inTurns(
  rounds: number,
  ours: (round: number) => Promise<number>,
  floor: (round: number) => Promise<number>,
): Promise<{ ours: number; floor: number }> {
  const times = { ours: [] as number[], floor: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.floor.push(await floor(round));
    times.ours.push(await ours(round));
  }
  return { ours: median(times.ours), floor: median(times.floor) };
}
