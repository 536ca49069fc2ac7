/** The arrivals of packages during a day, and their sizes. */

export interface Arrival {
  /** Milliseconds since the start of the replay. */
  afterMs: number;
  products: number;
}

/** Weight of each hour of the day: offices upload before noon and before they close. */
const HOURS = [0, 0, 0, 0, 0, 0, 1, 2, 5, 9, 10, 8, 4, 6, 8, 9, 7, 4, 2, 1, 1, 0, 0, 0];

/** Sizes of packages in turns: most are small, few are large. */
const SIZES = [1, 5, 2, 20, 3, 1, 60, 8, 2, 10];

const DAY_MS = 24 * 3600 * 1000;

/**
 * Compresses a whole day into less time, with fewer products, in the same shape.
 * @param products of all packages together
 */
export function arrivalsOf(products: number, durationMs: number): Arrival[] {
  const weight = HOURS.reduce((sum, hour) => sum + hour, 0);
  const hourMs = durationMs / HOURS.length;
  const arrivals: Arrival[] = [];
  let due = 0;
  let sent = 0;
  for (const [hour, busy] of HOURS.entries()) {
    due += (products * busy) / weight;
    const ofHour = sizesUpTo(Math.round(due) - sent, arrivals.length);
    for (const [index, size] of ofHour.entries())
      arrivals.push({ afterMs: hourMs * (hour + index / ofHour.length), products: size });
    sent = Math.round(due);
  }
  return arrivals;
}

/** Products of a whole day with the arrival rate of a replay. */
export function productsOfSuchADay(products: number, durationMs: number): number {
  return (products * DAY_MS) / durationMs;
}

/** The next sizes in turn, the last one cut to the remaining products. */
function sizesUpTo(products: number, first: number): number[] {
  const sizes: number[] = [];
  for (let left = products; left > 0; left -= sizes.at(-1) ?? left)
    sizes.push(Math.min(left, SIZES[(first + sizes.length) % SIZES.length] ?? 1));
  return sizes;
}
