/** The computation and the plan of `npm run prove -- simulate`; no service runs. */
import { describe, expect, it } from 'vitest';
import { COST_FIGURES, type Cost } from '../../bench/cost-figures.ts';
import type { KeptFigure, Results } from '../../bench/results.ts';
import { arrivalsOf, productsOfSuchADay } from '../../bench/simulation/arrivals.ts';
import { replay } from '../../bench/simulation/replay.ts';
import { rowsOf } from '../../bench/simulation/rows.ts';
import { newestCost, scaleOf } from '../../bench/simulation/scale.ts';

const COST: Cost = {
  insertTransitions: 20,
  importTransitions: 4,
  insertActions: 9,
  importActions: 1,
  insertHistoryBytes: 6_000,
  importHistoryBytes: 2_000,
  transactions: 36,
  databaseBytes: 10_000,
  archiveBytes: 20_000,
};

describe('the scale of a number of products a day', () => {
  const demand = {
    productsPerDay: 864_000,
    busyHours: 12,
    archiveDays: 90,
    historyDays: 10,
    recordMonths: 12,
  };
  const assumptions = {
    dollarsPerMillionActions: 50,
    dollarsPerGigabyteHour: 0.001,
    transitionsPerShardSecond: 5,
    regulatorCallMs: 100,
    dollarsPerDatabaseGigabyteMonth: 0.1,
    dollarsPerArchiveGigabyteMonth: 0.02,
  };
  const scale = scaleOf(COST, demand, assumptions);

  it('follows from the cost of one', () => {
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
    // One to open the case, six sections.
    expect(scale.regulatorCallsPerSecond).toEqual({ mean: 70, busy: 140 });
    expect(scale.regulatorSlots).toBe(14);
    expect(scale.listedRuns).toBe(8_640_000);
    expect(scale.databaseGigabytesPerMonth).toBeCloseTo(259.2);
    expect(scale.databaseGigabytesKept).toBeCloseTo(3110.4);
    expect(scale.dollarsPerMonth.database).toBeCloseTo(311.04);
    expect(scale.dollarsPerMonth.archive).toBeCloseTo(31.1);
  });

  it('is told with the assumptions that it rests on', () => {
    const rows = new Map(rowsOf(scale, demand, assumptions));
    expect(rows.get('products per day, all within 12 hours')).toBe('864,000');
    expect(rows.get('products per second')).toBe('10 over the day, 20 in the busy hours');
    expect(rows.get('calls under way in the busy hours, each 100 ms (assumption)')).toBe('14');
    expect(rows.get('a month of them, a million at $ 50 (assumption)')).toBe('$ 13,000');
  });

  it('has shards for the busy hours, a power of two', () => {
    expect(scale.shards).toBe(128);
    expect(scaleOf(COST, { ...demand, productsPerDay: 1 }, assumptions).shards).toBe(1);
  });
});

describe('the newest cost', () => {
  const figureOf = (name: string, median: number): KeptFigure => ({
    name,
    unit: '',
    rounds: 1,
    value: { min: median, median, max: median },
    ratio: null,
    target: null,
    against: null,
  });
  const resultsOf = (commit: string, figures: KeptFigure[]): Results => ({
    commit,
    committedAt: '2026-01-01T00:00:00Z',
    measuredAt: '2026-01-01T00:00:00Z',
    node: '24.0.0',
    cores: 2,
    figures,
  });
  const all = Object.values(COST_FIGURES).map((name, index) => figureOf(name, index));

  it('is that of the last commit of which all of it was measured', () => {
    const { commit, cost } = newestCost([
      resultsOf('a', []),
      resultsOf('b', all),
      resultsOf('c', all.slice(1)),
    ]);
    expect(commit).toBe('b');
    expect(cost.transactions).toBe(Object.keys(COST_FIGURES).indexOf('transactions'));
  });

  it('is asked for where there is none', () => {
    expect(() => newestCost([resultsOf('a', [])])).toThrow('npm run bench -- cost');
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
  it('is as fast as a day of so many products', () => {
    expect(productsOfSuchADay(500, 3_600_000)).toBe(12_000);
  });

  it('goes on when a package fails, and counts it', async () => {
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
    expect(said).toContain('a package of 3 failed: HTTP 429');
    expect(said).toHaveLength(3);
  });
});
