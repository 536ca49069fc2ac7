/** The actions that imports and submissions offer in each of their states. */
import { describe, expect, it } from 'vitest';
import { CANCEL_ACTION, INSERT_PROCESS, SUBMISSION_STATUSES } from '../../src/contract/statuses.ts';
import { actionsOf, zeroStatusCounts } from '../../src/domain/submission.ts';
import { importActionsOf } from '../../src/gateway/presenters/package-import.ts';

type Import = Parameters<typeof importActionsOf>[0];

describe('an import', () => {
  const actions = (
    status: Import['status'],
    progress: Partial<Import['progress']>,
    cancelRequested = false,
  ) => importActionsOf({ status, cancelRequested, progress: { ...zeroStatusCounts(), ...progress } });

  it.each<[string, Partial<Import['progress']>]>([
    ['failed', { regulator_insert_failed: 1 }],
    ['were not queued', { local: 1 }],
  ])('of which products %s can be run again, also while others are inserted', (_what, left) => {
    expect(actions('completed', left)).toEqual([INSERT_PROCESS]);
    expect(actions('cancelled', left)).toEqual([INSERT_PROCESS]);
    expect(actions('inserting', left)).toEqual([CANCEL_ACTION, INSERT_PROCESS]);
  });

  it('of which nothing is left offers nothing', () => {
    expect(actions('completed', { regulator_inserted: 3 })).toEqual([]);
    expect(actions('inserting', { regulator_inserting: 3 })).toEqual([CANCEL_ACTION]);
  });

  it('can be cancelled while it is read, and run again only once it is queued', () => {
    expect(actions('extracting', { local: 3 })).toEqual([CANCEL_ACTION]);
    expect(actions('failed', { local: 3 })).toEqual([]);
  });

  it('that is being cancelled offers nothing', () => {
    expect(actions('inserting', { local: 1, regulator_insert_failed: 1 }, true)).toEqual([]);
  });
});

describe('a submission', () => {
  it('can be run before its insert and after its failure', () => {
    const offering = SUBMISSION_STATUSES.filter(
      (status) => actionsOf({ status, superseded: false }).length > 0,
    );
    expect(offering).toEqual(['local', 'regulator_insert_failed']);
  });

  it.each(SUBMISSION_STATUSES)('that is superseded offers nothing (%s)', (status) => {
    expect(actionsOf({ status, superseded: true })).toEqual([]);
  });
});
