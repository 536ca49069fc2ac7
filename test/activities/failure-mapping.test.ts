/** Failures in histories: many people read them, so they hold no statement and no data of the database. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { failureOf } from '../../activities/failure-mapping.ts';
import { plainReason, reasonsText } from '../../src/contract/reasons.ts';
import { RegulatorUnavailable } from '../../src/domain/client-errors.ts';
import { RegulatorRejection } from '../../src/regulator/port.ts';
import { rootCause } from '../../workflows/failures.ts';

const mapped = (error: Error): Promise<Error> =>
  new MockActivityEnvironment().run<[Error], Error, (thrown: Error) => Promise<Error>>(
    async (thrown) => failureOf(thrown),
    error,
  );

it.each(['insert into', 'update', 'select', 'delete from', 'with', 'begin', 'commit'])(
  'a fault of the database keeps its reason and loses its statement (%s)',
  async (beginning) => {
    const failure = await mapped(new Error(`${beginning} "t" ('of a client') - duplicate key value`));
    expect(failure.message).toMatch(/duplicate key value$/);
    expect(failure.message).not.toContain('of a client');
    expect(failure).toMatchObject({ type: 'Error', nonRetryable: false });
  },
);

it('another fault keeps its whole message, up to a length', async () => {
  expect((await mapped(new Error('the storage is away - again'))).message).toBe(
    'the storage is away - again',
  );
  expect((await mapped(new Error('x'.repeat(1_000)))).message.length).toBeLessThanOrEqual(301);
});

it('an error of the catalogue says by itself whether it can be tried again', async () => {
  expect(await mapped(new RegulatorRejection(['too short']))).toMatchObject({
    type: 'RegulatorRejection',
    nonRetryable: true,
    message: 'The regulator rejected the product: too short',
  });
});

it('a rejection comes to the workflow with its reasons, each in the section that was rejected', () => {
  const cause = rootCause(failureOf(new RegulatorRejection(['too heavy', 'too large'], 'Product/Design')));
  const prefix = 'The regulator rejected the product:';
  expect(cause.reasons).toEqual([
    { path: 'Product/Design', line: null, check: null, text: `${prefix} too heavy` },
    { path: 'Product/Design', line: null, check: null, text: `${prefix} too large` },
  ]);
  expect(cause).toMatchObject({ type: 'RegulatorRejection', message: reasonsText(cause.reasons) });
});

it('the reasons of a rejection are bounded, however many the regulator gives', () => {
  const { reasons } = new RegulatorRejection(Array.from({ length: 1000 }, () => 'no'));
  expect(reasons).toHaveLength(101);
  expect(reasons.at(-1)).toEqual(plainReason('… and 900 more'));
});

it('the message of any other failure is its only reason', () => {
  const { reasons } = rootCause(failureOf(new RegulatorUnavailable('It is away.')));
  expect(reasons).toEqual([plainReason('It is away.')]);
});
