/** The short form of `npm run prove -- chaos`: a few faults of different kinds, and all checks. */
import { expect, it } from 'vitest';
import { holds } from '../support/proof.ts';
import { chaos, reportOf } from './chaos.ts';
import { type PlannedKind, SHORT } from './faults.ts';

/** Kinds that other tests do not cover; full restarts and long stops take too long. */
const KINDS: readonly PlannedKind[] = [
  'kill -9',
  'SIGSTOP, SIGCONT',
  'connections cut',
  'network silent',
  'disk full',
  'client leaves in the middle',
  'regulator loses answers',
];

it('no record is lost and none is doubled', { timeout: 400_000 }, async () => {
  // A new seed for every run: a finding is printed with its seed.
  const seed = Math.floor(Date.now() / 1000);
  const result = await chaos({
    seed,
    faults: KINDS.length,
    kinds: KINDS,
    durations: SHORT,
    imports: 6,
    clients: 2,
    products: [3, 5],
    world: { workers: 2 },
    maxWaitMs: 120_000,
    waitForGateways: false,
    say: () => {},
  });
  for (const reason of result.skipped) process.stdout.write(`skipped: ${reason}\n`);
  expect(holds(result.checks), reportOf(result)).toBe(true);
  expect(result.imports).toBeGreaterThanOrEqual(6);
});
