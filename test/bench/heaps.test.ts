/** Which settings of the workers are compared, and how the bench tells what came of them; nothing is measured here. */
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../bench/arguments.ts';
import { optionOf, type Setting, settingsAround } from '../../bench/heaps/settings.ts';
import { type HeapsRound, heapsTable } from '../../bench/heaps/table.ts';
import { NODE_OPTIONS } from '../../src/processes/node-options.ts';

const TODAY: Setting = { insertYoung: 8, importYoung: 8, old: 256, parserThreads: 2, poolSize: 10 };

it('compares settings that differ from today in one thing each', () => {
  const [first, ...others] = settingsAround(TODAY);
  expect(first).toBe(TODAY);
  const differences = others.map((setting) =>
    Object.entries(setting).filter(([name, value]) => TODAY[name as keyof Setting] !== value),
  );
  expect(differences.every(({ length }) => length === 1)).toBe(true);
  expect(differences.flat()).toEqual([
    ...[2, 16, 32].map((value) => ['insertYoung', value]),
    ...[2, 16, 32].map((value) => ['importYoung', value]),
    ['parserThreads', 1],
    ...[6, 20].map((value) => ['poolSize', value]),
  ]);
});

it('finds today in the options that our processes have', () => {
  expect(optionOf(NODE_OPTIONS, 'max-semi-space-size')).toBeGreaterThan(0);
  expect(optionOf(['--a=1', '--max-old-space-size=256'], 'max-old-space-size')).toBe(256);
  expect(() => optionOf(['--max-old-space-size=256'], 'old')).toThrow('without --old');
});

it('tells ratios round by round, and marks what differs', () => {
  const round = (productsPerSecond: number, todayPerSecond: number): HeapsRound => ({
    ...{ productsPerSecond, todayPerSecond },
    ...{ insertPeak: 300.4, importPeak: 350.6, insertCollecting: 0.0625, importCollecting: 0.01 },
  });
  const other = { ...TODAY, importYoung: 16 };
  const table = heapsTable(
    TODAY,
    new Map([
      [TODAY, [round(10, 10), round(20, 20)]],
      [other, [round(5, 10), round(30, 20)]],
    ]),
  );
  expect(table.split('\n').slice(2)).toEqual([
    '| **8** | **8** | **256** | **2** | **10** | 1 | 300, 351 | 6.3 %, 1.0 % |',
    '| 8 | **16** | 256 | 2 | 10 | 1.00 (0.50–1.50) | 300, 351 | 6.3 %, 1.0 % |',
  ]);
});

describe('the command line', () => {
  const measures = [{ name: 'cost' }, { name: 'heaps', onRequest: true }];

  it('leaves out what is for whoever asks for it', () => {
    expect(parseArguments([], measures).names).toEqual(['cost']);
    expect(parseArguments(['heaps'], measures).names).toEqual(['heaps']);
  });
});
