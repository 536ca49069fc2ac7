/** The short form of `npm run prove -- chaos`: a few faults of different kinds, the checks are all there. */
import { expect, it } from 'vitest';
import { chaos } from './chaos.ts';
import { type PlannedKind, SHORT } from './faults.ts';
import { holds, reportOf } from './report.ts';

/** Those that other tests have not; restarts of everything and long stops take their time. */
const KINDS: readonly PlannedKind[] = [
  'kill -9',
  'SIGSTOP, SIGCONT',
  'connections cut',
  'network silent',
  'disk full',
  'token expired or not yet valid',
  'client leaves in the middle',
  'regulator loses answers',
];

it('nothing is lost, nothing is doubled', { timeout: 400_000 }, async () => {
  // Another one every time: what is found is told with its seed.
  const seed = Math.floor(Date.now() / 1000);
  const result = await chaos({
    ...{ seed, faults: KINDS.length, kinds: KINDS, durations: SHORT },
    ...{ imports: 4, clients: 2, products: [3, 5] },
    patienceMs: 120_000,
    waitForGateways: false,
    say: () => {},
  });
  for (const reason of result.skipped) process.stdout.write(`skipped: ${reason}\n`);
  expect(holds(result), reportOf(result)).toBe(true);
  expect(result.imports).toBeGreaterThanOrEqual(6);
});
