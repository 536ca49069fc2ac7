/** The arithmetic of the bench and what it keeps; nothing is measured here. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../bench/arguments.ts';
import {
  collectFigures,
  type Figure,
  isReached,
  ratiosBetween,
  ratiosOf,
  spreadOf,
} from '../../bench/figure.ts';
import { actionsOf } from '../../bench/histories.ts';
import { reportOf } from '../../bench/report.ts';
import { keptFigureOf, type Results, readAllResults, writeResults } from '../../bench/results.ts';
import { temporaryDirectory } from '../support/temporary.ts';

function figure(rounds: [value: number, floor: number | null][], more: Partial<Figure> = {}): Figure {
  return {
    name: 'answer for <100> products',
    unit: 's',
    floorIs: 'something',
    rounds: rounds.map(([value, floor]) => ({ value, floor })),
    ...more,
  };
}

function resultsOf(commit: string, day: number, figures: Figure[]): Results {
  return {
    commit,
    committedAt: `2026-01-0${day}T00:00:00Z`,
    measuredAt: '2026-02-01T00:00:00Z',
    node: '24.0.0',
    cores: 2,
    figures: figures.map((one) => keptFigureOf(one)),
  };
}

describe('figures', () => {
  it('have a median between the two middle values, and none without values', () => {
    expect(spreadOf([4, 1, 3])).toEqual({ min: 1, median: 3, max: 4 });
    expect(spreadOf([4, 1])).toEqual({ min: 1, median: 2.5, max: 4 });
    expect(spreadOf([])).toBeNull();
  });

  it('are compared with the floor of their own round', () => {
    expect(
      ratiosOf(
        figure([
          [2, 1],
          [30, 10],
          [4, 1],
        ]),
      ),
    ).toEqual({ min: 2, median: 3, max: 4 });
    expect(ratiosOf(figure([[2, null]]))).toBeNull();
  });

  it('are compared between checkouts round by round', () => {
    const theirs = figure([
      [4, 1],
      [20, 1],
    ]);
    expect(
      ratiosBetween(
        figure([
          [2, 1],
          [5, 1],
        ]),
        theirs,
      ),
    ).toEqual({ min: 0.25, median: 0.375, max: 0.5 });
    expect(ratiosBetween(figure([[2, 1]]), undefined)).toBeNull();
  });

  it('reach their target by their median', () => {
    expect(isReached(figure([[2, 1]], { target: { of: 'ratio', atMost: 2 } }))).toBe(true);
    expect(isReached(figure([[2, 1]], { target: { of: 'ratio', atLeast: 2.5 } }))).toBe(false);
    expect(isReached(figure([[15, 1]], { target: { of: 'value', atMost: 14 } }))).toBe(false);
    expect(isReached(figure([[15, 1]]))).toBeNull();
  });

  it('are collected from rounds in the order of their first occurrence', () => {
    const collected = collectFigures();
    const reading = { unit: 's', floorIs: null, floor: null };
    collected.add([
      { ...reading, name: 'b', value: 1 },
      { ...reading, name: 'a', value: 2 },
    ]);
    collected.add([{ ...reading, name: 'a', value: 3 }]);
    expect(collected.figures().map(({ name, rounds }) => [name, rounds.map(({ value }) => value)])).toEqual([
      ['b', [1]],
      ['a', [2, 3]],
    ]);
  });
});

it('estimates the billed actions of a history', () => {
  const [started, scheduled, timer] = [1, 10, 17];
  const localActivity = (workflowTaskCompletedEventId: number) => ({
    eventType: 25,
    markerRecordedEventAttributes: { markerName: 'core_local_activity', workflowTaskCompletedEventId },
  });
  const history = [
    { eventType: started },
    { eventType: scheduled },
    { eventType: 11, activityTaskStartedEventAttributes: { attempt: 3 } },
    { eventType: timer },
    localActivity(8),
    localActivity(8),
    localActivity(12),
  ];
  // The start, three tries, the timer, and two workflow tasks with local activities.
  expect(actionsOf(history as never)).toBe(7);
});

describe('results', () => {
  it('contain ratios of times, and values of counts only', () => {
    expect(keptFigureOf(figure([[2, 3]]))).toMatchObject({ value: null, ratio: { median: 0.6667 } });
    expect(keptFigureOf(figure([[43, null]], { isCount: true }))).toMatchObject({
      value: { median: 43 },
      ratio: null,
    });
    const other = { commit: 'abc', figures: [figure([[4, 3]])] };
    expect(keptFigureOf(figure([[2, 3]]), other).against).toEqual({
      commit: 'abc',
      ratio: { min: 0.5, median: 0.5, max: 0.5 },
    });
  });

  it('of a commit are completed by later runs, and read in the order of the commits', async () => {
    const directory = join(await temporaryDirectory(), 'results');
    await writeResults(
      directory,
      resultsOf('bbb', 2, [figure([[2, 1]]), figure([[5, 1]], { name: 'kept' })]),
    );
    await writeResults(directory, resultsOf('aaa', 1, [figure([[9, 1]])]));
    await writeResults(directory, resultsOf('bbb', 2, [figure([[3, 1]])]));
    const all = await readAllResults(directory);
    expect(all.map(({ commit }) => commit)).toEqual(['aaa', 'bbb']);
    expect(all[1]?.figures.map(({ name, ratio }) => [name, ratio?.median])).toEqual([
      ['kept', 5],
      ['answer for <100> products', 3],
    ]);
  });
});

it('list the measured, the target and the omitted figures', () => {
  const target = { of: 'ratio', atMost: 1.5 } as const;
  const report = reportOf(
    [
      figure(
        [
          [2, 1],
          [3, 1],
          [4, 1],
        ],
        { target },
      ),
    ],
    null,
    [{ name: 'CPU', reason: 'no /proc' }],
  );
  expect(report).toContain('3 (2–4)');
  expect(report).toContain('ratio ≤ 1.5 ✗');
  expect(report).toContain('skipped: CPU: no /proc');
});

it('runs all measures unless some are named', () => {
  const measures = [{ name: 'cost' }, { name: 'speed' }];
  expect(parseArguments([], measures).names).toEqual(['cost', 'speed']);
  expect(parseArguments(['speed'], measures).names).toEqual(['speed']);
});
