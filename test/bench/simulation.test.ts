/** The plan and the figures of `npm run prove -- simulate`; no service runs. */
import { describe, expect, it } from 'vitest';
import { arrivalsOf, replay } from '../../bench/replay.ts';

it.each([1, 37, 500, 4_000])('sends %i products at a constant rate', (products) => {
  const arrivals = arrivalsOf(products, 24_000);
  expect(arrivals.reduce((sum, arrival) => sum + arrival.products, 0)).toBe(products);
  expect(arrivals.every((arrival) => arrival.products > 0)).toBe(true);
  const pauses = arrivals.slice(1).map(({ afterMs }, index) => afterMs - (arrivals[index]?.afterMs ?? 0));
  for (const pause of pauses) expect(pause).toBeCloseTo(24_000 / arrivals.length);
});

describe('a replay', () => {
  it('continues when a package fails, and counts the failure', async () => {
    const said: string[] = [];
    const arrivals = [2, 3, 4].map((products) => ({ afterMs: 0, products }));
    const figures = await replay(
      arrivals,
      async ({ products }) => {
        if (products === 3) throw new Error('HTTP 429');
        return { importId: products, inserted: products, answeredAfter: products, endedAfter: 2 * products };
      },
      (line) => said.push(line),
    );
    expect(figures).toMatchObject({ packages: 3, failed: 1, products: 9, inserted: 6 });
    expect(figures.answers).toEqual({ min: 2, median: 3, max: 4 });
    expect(figures.imports).toEqual({ min: 4, median: 6, max: 8 });
    expect(said).toContain('a package of 3 products failed: HTTP 429');
    expect(said).toHaveLength(3);
  });
});
