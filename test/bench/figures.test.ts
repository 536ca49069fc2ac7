/** The arithmetic of the bench; nothing is measured here. */
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

function figure(rounds: [value: number, floor: number | null][], more: Partial<Figure> = {}): Figure {
  return {
    name: 'answer for <100> products',
    unit: 's',
    floorIs: 'something',
    rounds: rounds.map(([value, floor]) => ({ value, floor })),
    ...more,
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
  // The start, three attempts, the timer, and two workflow tasks with local activities.
  expect(actionsOf(history as never)).toBe(7);
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
