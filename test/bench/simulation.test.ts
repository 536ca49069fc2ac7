/** The computation and the plan of `npm run prove -- simulate`; no service runs. */
import { describe, expect, it } from 'vitest';
import { arrivalsOf, replay } from '../../bench/simulation/replay.ts';
import { rowsOf } from '../../bench/simulation/scale.ts';

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
  const rows = Object.fromEntries(rowsOf(inputs));
  const valuesOf = (what: string) =>
    Object.entries(rows).flatMap(([row, value]) => (row.startsWith(what) ? [value] : []));

  it.each([
    ['products per second', '10 over the day, 20 in the busy hours'],
    // 20 products a second take 1.6 cores.
    ['processor cores', '4'],
    ['price of these cores', '$ 120'],
    // One to open the case, six sections.
    ['calls to the regulator', '70 over the day, 140 in the busy hours'],
    ['concurrent calls', '14'],
    ['state transitions', '240 over the day, 480 in the busy hours'],
    ['size of the histories', '69.1 GB'],
    ['price of these histories', '$ 49.8'],
    ['inserts that Temporal lists', '8,640,000'],
    ['database transactions', '360 over the day, 720 in the busy hours'],
    ['growth of the database in a month', '259 GB'],
    ['size of the database after a year', '3.15 TB'],
    ['size of the database with 12 months', '3.11 TB'],
    ['price of the disk', '$ 311'],
    ['size of the archive', '1.56 TB'],
    ['price of the bucket', '$ 31.1'],
    ['actions at a hosted Temporal', '259,000,000'],
    ['price of these actions', '$ 13,000'],
  ])('follows from the cost of one product: %s', (what, value) => expect(valuesOf(what)).toEqual([value]));

  it('has enough shards for the busy hours, as a power of two', () => {
    expect(valuesOf('history shards')).toEqual(['128']);
    const few = Object.fromEntries(rowsOf({ ...inputs, productsPerDay: 1 }));
    expect(few['history shards, each 5 transitions per second (assumption)']).toBe('1');
  });
});

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
