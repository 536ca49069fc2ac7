/** The verdict on an overload, over forged ones: a good one holds, and each fault is found. */
import { expect, it } from 'vitest';
import { checkAll, HOLDS, type Seen } from './verdict.ts';

const good = (): Seen => ({
  honest: [
    { what: 'import', status: 200, seconds: 9.9 },
    { what: 'list', status: 200, seconds: 0.1 },
  ],
  flooders: [
    { what: 'upload', status: 200, hasRetryAfter: false },
    { what: 'upload', status: 429, hasRetryAfter: true },
    { what: 'upload', status: 503, hasRetryAfter: true },
    { what: 'hostile', status: 500, hasRetryAfter: false },
  ],
  processes: [{ name: 'worker 1', idleMb: 150, peakMb: 549, ended: 0 }],
  waiting: { wanted: 5000, seen: 5000 },
  notRecovered: [],
});
const [ANSWERED, TOLD, SERVED, ALIVE, MEMORY, WAITED, RECOVERED] = Object.keys(HOLDS);

const FORGERIES: [check: string | undefined, what: string, forge: (seen: Seen) => unknown][] = [
  [ANSWERED, 'late', (s) => s.honest.push({ what: 'import', status: 200, seconds: 10.1 })],
  [ANSWERED, 'turned away', (s) => s.honest.push({ what: 'import', status: 503, seconds: 1 })],
  [ANSWERED, 'never', (s) => s.honest.push({ what: 'list', status: null, seconds: 1 })],
  [ANSWERED, 'nobody asked', (s) => s.honest.splice(0)],
  [TOLD, 'no Retry-After', (s) => s.flooders.push({ what: 'upload', status: 429, hasRetryAfter: false })],
  [TOLD, 'no answer', (s) => s.flooders.push({ what: 'upload', status: null, hasRetryAfter: false })],
  [TOLD, 'another answer', (s) => s.flooders.push({ what: 'upload', status: 502, hasRetryAfter: false })],
  [SERVED, 'none', (s) => s.flooders.push({ what: 'dry run', status: 429, hasRetryAfter: true })],
  [ALIVE, 'ended', (s) => s.processes.push({ name: 'gateway 1', idleMb: 1, peakMb: 1, ended: 1 })],
  [MEMORY, 'too much', (s) => s.processes.push({ name: 'gateway 1', idleMb: 100, peakMb: 501, ended: 0 })],
  [WAITED, 'too few', (s) => Object.assign(s.waiting, { seen: 4999 })],
  [RECOVERED, 'something is left', (s) => s.notRecovered.push('upload slot')],
];

it('a good run passes', () => {
  expect(checkAll(good()).flatMap(({ findings }) => findings)).toEqual([]);
});

it.each(FORGERIES)('%s: %s', (check, _what, forge) => {
  const seen = good();
  forge(seen);
  const found = checkAll(seen).filter(({ findings }) => findings.length > 0);
  expect(found.map((one) => one.check)).toEqual([check]);
});

it('every check is tried', () => {
  expect(new Set(FORGERIES.map(([check]) => check))).toEqual(new Set(Object.keys(HOLDS)));
});
