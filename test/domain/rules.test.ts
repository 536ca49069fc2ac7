/** Rules of the domain: actions, turns, pauses, webhook addresses. */
import { describe, expect, it } from 'vitest';
import { CANCEL_ACTION, INSERT_PROCESS, SUBMISSION_STATUSES } from '../../src/contract/statuses.ts';
import { nextPause } from '../../src/domain/pauses.ts';
import { fairnessOfClient, fairnessOfInserts } from '../../src/domain/start-options.ts';
import { isRunnable, zeroStatusCounts } from '../../src/domain/submission.ts';
import { webhookUrlFault } from '../../src/domain/webhook.ts';
import { importActionsOf } from '../../src/gateway/presenters/package-import.ts';
import { readHistories } from '../replay/histories.ts';

type Import = Parameters<typeof importActionsOf>[0];

describe('an import', () => {
  const actions = (
    status: Import['status'],
    progress: Partial<Import['progress']>,
    cancelRequested = false,
    offersInsert = (progress.local ?? 0) + (progress.regulator_insert_failed ?? 0) > 0,
  ) =>
    importActionsOf({
      status,
      cancelRequested,
      progress: { ...zeroStatusCounts(), ...progress },
      offersInsert,
    });

  it.each<[string, Partial<Import['progress']>]>([
    ['failed', { regulator_insert_failed: 1 }],
    ['were not queued', { local: 1 }],
  ])('of which products %s can be run again, also while others are inserted', (_what, left) => {
    expect(actions('completed', left)).toEqual([INSERT_PROCESS]);
    expect(actions('cancelled', left)).toEqual([INSERT_PROCESS]);
    expect(actions('inserting', { ...left, regulator_inserting: 1 })).toEqual([
      CANCEL_ACTION,
      INSERT_PROCESS,
    ]);
  });

  it('cannot be cancelled while it waits for its summary only', () => {
    expect(actions('inserting', { regulator_inserted: 1, regulator_insert_failed: 1 })).toEqual([
      INSERT_PROCESS,
    ]);
  });

  it('of which nothing is left offers nothing', () => {
    expect(actions('completed', { regulator_inserted: 3 })).toEqual([]);
    expect(actions('inserting', { regulator_inserting: 3 })).toEqual([CANCEL_ACTION]);
  });

  it('can be cancelled while it is read, and run again only once it is queued', () => {
    expect(actions('extracting', { local: 3 })).toEqual([CANCEL_ACTION]);
    expect(actions('failed', { local: 3 })).toEqual([]);
  });

  it('of which newer submissions supersede all failures offers nothing', () => {
    expect(actions('completed', { regulator_insert_failed: 1 }, false, false)).toEqual([]);
  });

  it('that is being cancelled offers nothing', () => {
    expect(actions('inserting', { local: 1, regulator_insert_failed: 1 }, true)).toEqual([]);
  });
});

it('an insert may begin before the first one and after a failure', () => {
  expect(SUBMISSION_STATUSES.filter(isRunnable)).toEqual(['local', 'regulator_insert_failed']);
});

const keyOf = (clientId: string) => fairnessOfClient(clientId).priority.fairnessKey;
const keyOfInserts = (clientId: string, products: number) =>
  fairnessOfInserts(keyOf(clientId), products)?.priority.fairnessKey;

describe('turns', () => {
  it('are each client’s own, and readable', () => {
    expect(keyOf('exporter')).toBe('client-exporter');
    expect(keyOf('somebody@company.example')).toBe('client-somebody@company.example');
    expect(keyOf('a')).not.toBe(keyOf('b'));
  });

  it.each([
    ['long', `${'x'.repeat(500)}`],
    ['of any characters', '\ud800é\u0000\n/'.repeat(60)],
  ])('fit into the 64 bytes of Temporal, with names that are %s', (_kind, clientId) => {
    expect(Buffer.byteLength(keyOfInserts(clientId, 1_000_000) ?? '')).toBeLessThanOrEqual(64);
  });

  it('of inserts differ by few size classes of imports', () => {
    expect([1, 9, 10, 99, 200, 1_500, 10_000].map((products) => keyOfInserts('a', products))).toEqual(
      [1, 1, 10, 10, 100, 1_000, 10_000].map((size) => `client-a/${size}`),
    );
  });

  it('are absent for inserts of earlier runs, which have none', () => {
    expect([fairnessOfInserts(undefined, 7), fairnessOfInserts('', 7)]).toEqual([undefined, undefined]);
  });
});

const DAY_MS = 86_400_000;
/** Temporal's own: `limit.historyCount.error`. */
const MAX_EVENTS = 51_200;
/** History events of one look: two of a timer, three of a workflow task, and one with the result. */
const EVENTS_PER_LOOK = 6;

/** Looks within a time, as the loops of the workflows take them. */
function looksWithin(days: number, firstMs: number, longestMs: number): number {
  let looks = 0;
  let pauseMs = firstMs;
  for (let waitedMs = 0; waitedMs < days * DAY_MS; looks += 1) {
    waitedMs += pauseMs;
    pauseMs = nextPause(pauseMs, waitedMs, longestMs);
  }
  return looks;
}

describe.each([
  ['an import or a batch', 5_000, 15 * 60_000],
  ['a large import', 10_000, 5 * 60_000],
  ['queuing', 30_000, 30_000],
])('%s that waits', (_what, firstMs, longestMs) => {
  it.each([
    [7, 2_000],
    [84, 2_500],
    [365, 4_000],
  ])('has few events in %i days', (days, events) => {
    expect(looksWithin(days, firstMs, longestMs) * EVENTS_PER_LOOK).toBeLessThan(events);
    expect(events).toBeLessThan(MAX_EVENTS / 10);
  });

  it('looks at short intervals at first', () => {
    expect(looksWithin(5 / (24 * 60), firstMs, longestMs)).toBeGreaterThanOrEqual(4);
  });
});

it('uses the stated number of events for a look', async () => {
  const histories = await readHistories();
  // This run waits for an insert that is not its child: nothing else happens during its look.
  const waited = histories.find(({ name }) => name.endsWith('import-resumed.1.package-import'));
  const types = (waited?.history.events ?? []).map(({ eventType }) => String(eventType));
  const look = types.slice(types.indexOf('EVENT_TYPE_TIMER_STARTED'));
  const next = look.indexOf('EVENT_TYPE_MARKER_RECORDED') + 1;
  expect(look.slice(0, 2)).toEqual(['EVENT_TYPE_TIMER_STARTED', 'EVENT_TYPE_TIMER_FIRED']);
  expect(next).toBe(EVENTS_PER_LOOK);
});

const hosts = ['hooks.company.example', 'other.example:8443', 'localhost:3000', '127.0.0.1'];
const open = { hosts, loopback: false };
const local = { hosts, loopback: true };

it.each([
  ['https://hooks.company.example/a?b=c', open],
  ['https://HOOKS.company.example:443/', open],
  ['https://other.example:8443/', open],
  ['http://localhost:3000/', local],
  ['https://127.0.0.1/', local],
])('%s is allowed', (url, rules) => {
  expect(webhookUrlFault(url, rules)).toBeNull();
});

it.each([
  ['http://hooks.company.example/', local, 'https'],
  ['http://localhost:3000/', open, 'https'],
  ['https://localhost:3000/', open, 'do not allow'],
  ['https://hooks.company.example:8443/', open, 'do not allow'],
  ['https://other.example/', open, 'do not allow'],
  ['https://hooks.company.example.evil.example/', open, 'do not allow'],
  ['https://evil.example/?hooks.company.example', open, 'do not allow'],
  ['https://2130706433/', local, null],
  ['https://0x7f.1/', open, 'do not allow'],
  ['https://me@hooks.company.example/', open, 'password'],
  ['https://:secret@hooks.company.example/', open, 'password'],
  ['https://hooks.company.example/#part', open, 'fragment'],
  ['file:///etc/passwd', open, 'https'],
  ['/relative', open, 'absolute'],
  [`https://hooks.company.example/${'x'.repeat(2_000)}`, open, '2000 characters'],
  ['https://hooks.company.example/', { hosts: [], loopback: true }, 'do not allow'],
])('%s is judged', (url, rules, reason) => {
  const fault = webhookUrlFault(url, rules);
  if (reason === null) expect(fault).toBeNull();
  else expect(fault).toContain(reason);
});
