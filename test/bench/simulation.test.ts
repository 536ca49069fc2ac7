/** The computation and the plan of `npm run prove -- simulate`; no service runs. */
import { describe, expect, it } from 'vitest';
import { arrivalsOf, replay } from '../../bench/simulation/replay.ts';
import { scaleOf } from '../../bench/simulation/scale.ts';

describe('the scale of a number of products a day', () => {
  const inputs = {
    productsPerDay: 864_000,
    busyHours: 12,
    archiveDays: 90,
    historyDays: 10,
    recordMonths: 12,
    transitionsPerProduct: 24,
    actionsPerProduct: 10,
    historyBytesPerProduct: 8_000,
    transactionsPerProduct: 36,
    databaseBytesPerProduct: 10_000,
    archiveBytesPerProduct: 20_000,
    dollarsPerMillionActions: 50,
    dollarsPerGigabyteHour: 0.001,
    transitionsPerShardSecond: 5,
    regulatorCallMs: 100,
    cpuMsPerProduct: 80,
    coreLoad: 0.5,
    dollarsPerCoreMonth: 30,
    dollarsPerDatabaseGigabyteMonth: 0.1,
    dollarsPerArchiveGigabyteMonth: 0.02,
  };
  const scale = scaleOf(inputs);

  it('follows from the cost of one product', () => {
    expect(scale.transitionsPerSecond).toEqual({ mean: 240, busy: 480 });
    expect(scale.transactionsPerSecond).toEqual({ mean: 360, busy: 720 });
    expect(scale.historyGigabytes).toBeCloseTo(69.12);
    expect(scale.databaseGigabytesPerDay).toBeCloseTo(8.64);
    expect(scale.databaseGigabytesPerYear).toBeCloseTo(3153.6);
    expect(scale.archiveGigabytes).toBeCloseTo(1555.2);
    expect(scale.actionsPerMonth).toBe(259_200_000);
    expect(scale.dollarsPerMonth.actions).toBe(12_960);
    expect(scale.dollarsPerMonth.storage).toBeCloseTo(49.77);
    expect(scale.productsPerSecond).toEqual({ mean: 10, busy: 20 });
    // 20 products a second take 1.6 cores.
    expect(scale.cores).toBe(4);
    expect(scale.dollarsPerMonth.cores).toBe(120);
    // One to open the case, six sections.
    expect(scale.regulatorCallsPerSecond).toEqual({ mean: 70, busy: 140 });
    expect(scale.regulatorSlots).toBe(14);
    expect(scale.listedRuns).toBe(8_640_000);
    expect(scale.databaseGigabytesPerMonth).toBeCloseTo(259.2);
    expect(scale.databaseGigabytesKept).toBeCloseTo(3110.4);
    expect(scale.dollarsPerMonth.database).toBeCloseTo(311.04);
    expect(scale.dollarsPerMonth.archive).toBeCloseTo(31.1);
  });

  it('has enough shards for the busy hours, as a power of two', () => {
    expect(scale.shards).toBe(128);
    expect(scaleOf({ ...inputs, productsPerDay: 1 }).shards).toBe(1);
  });
});

it.each([1, 37, 500, 4_000])('spreads %i products over a day, most of them by day', (products) => {
  const arrivals = arrivalsOf(products, 24_000);
  expect(arrivals.reduce((sum, arrival) => sum + arrival.products, 0)).toBe(products);
  expect(arrivals.every((arrival) => arrival.products > 0)).toBe(true);
  expect(arrivals.map(({ afterMs }) => afterMs)).toEqual(
    arrivals.map(({ afterMs }) => afterMs).sort((a, b) => a - b),
  );
  const byDay = arrivals.filter(({ afterMs }) => afterMs >= 8_000 && afterMs < 18_000);
  expect(byDay.length).toBeGreaterThanOrEqual(arrivals.length / 2);
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
