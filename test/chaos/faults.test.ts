import { describe, expect, it } from 'vitest';
import { FAULT_KINDS, LONG, type PlannedKind, planFaults, SHORT } from './faults.ts';

const KINDS = Object.keys(FAULT_KINDS) as PlannedKind[];
const options = { seed: 1, faults: 200, gateways: 2, workers: 3, durations: LONG, kinds: KINDS };
const shown = (plan: ReturnType<typeof planFaults>) => plan.map(({ random: _, ...fault }) => fault);

describe('the plan', () => {
  it('is equal for equal seeds, and differs for different seeds', () => {
    expect(shown(planFaults(options))).toEqual(shown(planFaults(options)));
    expect(shown(planFaults(options))).not.toEqual(shown(planFaults({ ...options, seed: 2 })));
  });

  it('has the requested number of faults, with every kind for every part', () => {
    const plan = planFaults(options);
    expect(plan).toHaveLength(200);
    expect(new Set(plan.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    const killed = new Set(plan.filter(({ kind }) => kind === 'kill -9').map(({ target }) => target));
    expect(killed.size).toBe(7);
  });

  it('with few faults has as many kinds as faults', () => {
    const plan = planFaults({ ...options, faults: KINDS.length, durations: SHORT });
    expect(plan.map(({ kind }) => kind).toSorted()).toEqual(KINDS.toSorted());
  });

  it('leaves out faults that the machine does not support', () => {
    const kinds = KINDS.filter((kind) => kind !== 'disk full');
    expect(planFaults({ ...options, kinds }).some(({ kind }) => kind === 'disk full')).toBe(false);
  });

  it('silences database and mail server for longer than leases and heartbeats', () => {
    const silences = planFaults(options).filter(
      ({ kind }) => kind === 'database silent' || kind === 'mail server mute',
    );
    expect(new Set(silences.map(({ target }) => target))).toEqual(new Set(['PostgreSQL', 'mail']));
    for (const { seconds } of silences) expect(seconds).toBeGreaterThan(10);
  });

  it('stops workers for longer than their heartbeats, and gateways for longer than their leases', () => {
    for (const { kind, target, seconds } of planFaults(options)) {
      if (kind !== 'SIGSTOP, SIGCONT') continue;
      expect(seconds).toBeGreaterThan(target?.startsWith('gateway') ? 60 : 10);
    }
  });
});
