/**
 * The rule of the leases, for random orders of everything that may happen to two processes and their statements: lost,
 * delayed, executed late. The table is a model of the one in the database (src/database/regulator-slot-rows.ts).
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSlotLeases, LEASE_MS, type Lease, MARGIN_MS } from '../../src/domain/slot-leases.ts';

const LIMIT = 3;
/** Longest interval between two clock reads of a process. */
const TICK_MS = 250;
const REASON = new Error('lost');

/** Rows by their slot. The clock is the database's, which none of the processes has. */
function createTable() {
  const rows = new Map<number, { id: string; expiresAt: number }>();
  let last = 0;
  const isValid = (slot: number, now: number) => (rows.get(slot)?.expiresAt ?? 0) > now;
  return {
    acquire(now: number, most: number): string[] {
      const slots = Array.from({ length: LIMIT }, (_, index) => index + 1);
      return slots
        .filter((slot) => !isValid(slot, now))
        .slice(0, most)
        .map((slot) => {
          last += 1;
          rows.set(slot, { id: `${slot}/${last}`, expiresAt: now + LEASE_MS });
          return `${slot}/${last}`;
        });
    },
    renew(now: number, ids: readonly string[]): string[] {
      return ids.filter((id) => {
        const [slot, row] = [...rows].find(([, one]) => one.id === id) ?? [];
        if (slot === undefined || row === undefined || !isValid(slot, now)) return false;
        row.expiresAt = now + LEASE_MS;
        return true;
      });
    },
    release(ids: readonly string[]): void {
      for (const [slot, { id }] of [...rows]) if (ids.includes(id)) rows.delete(slot);
    },
    isValid: (id: string, now: number) =>
      [...rows].some(([slot, row]) => row.id === id && isValid(slot, now)),
  };
}

type Statement = 'acquire' | 'renew' | 'release';
type Step =
  | { kind: 'wait'; ms: number }
  | { kind: 'call'; process: number }
  | { kind: 'end'; process: number; which: number }
  | { kind: 'statement'; process: number; statement: Statement; arrivesIn: number; answersIn: number | null };

const process = fc.nat(1);
const delay = fc.oneof(fc.constant(0), fc.nat(2 * LEASE_MS));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: LEASE_MS }) }),
  fc.record({ kind: fc.constant('call' as const), process }),
  fc.record({ kind: fc.constant('end' as const), process, which: fc.nat(LIMIT) }),
  fc.record({
    kind: fc.constant('statement' as const),
    process,
    statement: fc.constantFrom<Statement>('acquire', 'renew', 'release'),
    arrivesIn: delay,
    answersIn: fc.option(delay),
  }),
);

/** Two processes and their database, on one clock that only this has. */
function createWorld(clockOffsets: readonly [number, number]) {
  const table = createTable();
  let now = 0;
  const later: { at: number; run: () => void }[] = [];
  const processes = clockOffsets.map((offset) => {
    const leases = createSlotLeases(() => REASON);
    const calls: { lease: Lease; signal: AbortSignal }[] = [];
    const clock = () => now + offset;

    function send(statement: Statement, arrivesIn: number, answersIn: number | null): void {
      const askedAt = clock();
      const asked = statement === 'release' ? leases.dropUnused(askedAt) : leases.ids();
      later.push({
        at: now + arrivesIn,
        run() {
          const answer = executed(statement, asked);
          if (answersIn === null) return;
          later.push({
            at: now + answersIn,
            run() {
              if (statement === 'acquire') leases.granted(answer, askedAt);
              if (statement === 'renew') leases.renewed(asked, answer, askedAt);
            },
          });
        },
      });
    }

    function executed(statement: Statement, asked: readonly string[]): string[] {
      if (statement === 'acquire') return table.acquire(now, LIMIT);
      if (statement === 'renew') return table.renew(now, asked);
      table.release(asked);
      return [];
    }

    return {
      leases,
      calls,
      clock,
      send,
      call() {
        const lease = leases.take(clock());
        if (lease) calls.push({ lease, signal: lease.lost.signal });
        return lease !== null;
      },
      end(which: number) {
        const [ended] = calls.splice(which % Math.max(1, calls.length), 1);
        if (ended) leases.free(ended.lease, clock());
      },
      /** Calls that have not been told to end. */
      valid: () => calls.filter(({ signal }) => !signal.aborted),
    };
  });

  function check(): void {
    const valid = processes.flatMap((one) => one.valid());
    expect(valid.length).toBeLessThanOrEqual(LIMIT);
    // Each has a row of its own that nobody else can take, for a while yet.
    expect(new Set(valid.map(({ lease }) => lease.id)).size).toBe(valid.length);
    const beyond = now + MARGIN_MS - TICK_MS - 1;
    expect(valid.filter(({ lease }) => !table.isValid(lease.id, beyond))).toEqual([]);
  }

  return {
    processes,
    check,
    /** Time passes; statements and answers arrive; the processes look at their clocks. */
    wait(ms: number): void {
      const until = now + ms;
      while (now < until) {
        const arriving = later.filter(({ at }) => at <= now + TICK_MS).toSorted((a, b) => a.at - b.at);
        now = Math.min(until, now + TICK_MS, arriving[0]?.at ?? Number.POSITIVE_INFINITY);
        const due = later.filter(({ at }) => at <= now);
        for (const one of due) {
          later.splice(later.indexOf(one), 1);
          one.run();
        }
        for (const { leases, clock } of processes) leases.dropEnded(clock());
        check();
      }
    },
    /** The network is well again, and nothing is left of what was under way. */
    forgetStatements: () => later.splice(0),
  };
}

function run(world: ReturnType<typeof createWorld>, steps: readonly Step[]): void {
  for (const one of steps) {
    const process = 'process' in one ? world.processes[one.process] : undefined;
    if (one.kind === 'wait') world.wait(one.ms);
    if (one.kind === 'call') process?.call();
    if (one.kind === 'end') process?.end(one.which);
    if (one.kind === 'statement') process?.send(one.statement, one.arrivesIn, one.answersIn);
    world.check();
  }
}

const clockOffsets = fc.tuple(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 0, max: 1e6 }));
const steps = fc.array(step, { maxLength: 60 });

describe('leases of slots', () => {
  it('never exceed the slots, and cover each call beyond its end', () => {
    fc.assert(
      fc.property(clockOffsets, steps, (offsets, taken) => run(createWorld(offsets), taken)),
      { numRuns: 2_000 },
    );
  });

  it('can all be taken again one lease after they were lost', () => {
    fc.assert(
      fc.property(clockOffsets, steps, (offsets, taken) => {
        const world = createWorld(offsets);
        run(world, taken);
        world.forgetStatements();
        world.wait(LEASE_MS);
        const [first] = world.processes;
        first?.send('acquire', 0, 0);
        world.wait(1);
        for (let slot = 0; slot < LIMIT; slot += 1) expect(first?.call()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('are not used after their end, even before the clock is checked', () => {
    const leases = createSlotLeases(() => REASON);
    leases.granted(['a'], 0);
    expect(leases.take(LEASE_MS - MARGIN_MS)).toBeNull();
    expect(leases.take(LEASE_MS - MARGIN_MS - 1)?.id).toBe('a');
  });

  it('abort the running call when they end, and are not renewed after that', () => {
    const leases = createSlotLeases(() => REASON);
    leases.granted(['a', 'b'], 0);
    leases.renewed(['b'], ['b'], 1_000);
    const [first, second] = [leases.take(1_000), leases.take(1_000)];
    leases.dropEnded(LEASE_MS - MARGIN_MS);
    const byId = (id: string) => [first, second].find((lease) => lease?.id === id)?.lost.signal;
    expect(byId('a')?.reason).toBe(REASON);
    expect(byId('b')?.aborted).toBe(false);
    expect(leases.ids()).toEqual(['b']);
  });

  it('are used again before unused ones, which can then be given to another process', () => {
    const leases = createSlotLeases(() => REASON);
    leases.granted(['a', 'b', 'c'], 0);
    const first = leases.take(10);
    for (let now = 20; now < 100; now += 10) {
      const lease = now === 20 ? first : leases.take(now);
      expect(lease?.id).toBe(first?.id);
      if (lease) leases.free(lease, now + 5);
    }
    expect(leases.dropUnused(50)).toHaveLength(2);
    expect(leases.ids()).toEqual([first?.id]);
  });
});
