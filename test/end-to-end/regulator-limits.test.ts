/**
 * The regulator's limits: 429 with Retry-After, a rate and a number of concurrent calls, over all workers. An
 * outage of the regulator costs only time. A rejection fails at once, with its reason. All figures are
 * measured at the regulator, or read from real histories.
 */
import type { google, temporal } from '@temporalio/proto';
import { describe, expect, it, vi } from 'vitest';
import type { ImportResult } from '../../src/contract/types.ts';
import { insertWorkflowId } from '../../src/domain/ids.ts';
import { startEmbeddedRegulator } from '../../src/processes/shared/embedded.ts';
import type { LoggedCall } from '../../src/trial-parts/regulator-simulator/state.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { report } from '../support/upload.ts';

/** Generous: the simulator answers late on a busy machine. */
const RATE_PER_SECOND = 6;
const CONCURRENCY = 3;
const MAX_WAIT_MS = 120_000;
/** Longest delay of a call that was already on its way. */
const ON_ITS_WAY_MS = 1_000;

const stack = await startStack({
  env: {
    REGULATOR_RATE_PER_SECOND: String(RATE_PER_SECOND),
    REGULATOR_CONCURRENCY: String(CONCURRENCY),
  },
});
const { imports } = stack;
// They share nothing but the database.
await stack.startWorkers({ machine: 'the second worker' });

vi.setConfig({ testTimeout: 240_000 });

const simulation = () => stack.simulator.simulation;

/** Calls about cases since a time, in order of arrival. */
const callsSince = (since: number): LoggedCall[] =>
  simulation()
    .calls.filter(({ at, path }) => at >= since && path.startsWith('/cases'))
    .toSorted((a, b) => a.at - b.at);

async function startInserts(count: number): Promise<{ productIds: string[]; result: ImportResult }> {
  const productIds = Array.from({ length: count }, newProductId);
  return {
    productIds,
    result: await imports.importProducts(productIds.map((productId) => ({ productId }))),
  };
}

async function expectAllInserted(
  { id, submissions }: ImportResult,
  productIds: readonly string[],
): Promise<void> {
  await eventually(async () => (await stack.database.imports.find(id))?.completedAt, MAX_WAIT_MS);
  const statuses = (await report(stack, id)).submissions.map(({ status }) => status);
  expect(statuses).toEqual(Array(submissions.length).fill('regulator_inserted'));
  expect(productIds.map((productId) => imports.casesOf(productId).length)).toEqual(
    Array(productIds.length).fill(1),
  );
  const failures = `audit_event where import_id = ${id} and action = 'submission.regulator_insert_failed'`;
  expect(await stack.count(failures)).toBe(0);
}

async function historyOf(productId: string): Promise<temporal.api.history.v1.IHistoryEvent[]> {
  const handle = stack.temporal.workflow.getHandle(insertWorkflowId(productId));
  return (await handle.fetchHistory()).events ?? [];
}

/** The last failure of the running step. */
async function lastFailure(productId: string): Promise<{ type: string; message: string; attempt: number }> {
  const handle = stack.temporal.workflow.getHandle(insertWorkflowId(productId));
  const [step] = (await handle.describe()).raw.pendingActivities ?? [];
  return {
    type: step?.lastFailure?.applicationFailureInfo?.type ?? '',
    message: step?.lastFailure?.message ?? '',
    attempt: step?.attempt ?? 0,
  };
}

describe('a configured limit', () => {
  it('of the rate is not exceeded by two workers together', async () => {
    const since = Date.now();
    const { productIds, result } = await startInserts(7);
    await expectAllInserted(result, productIds);
    const calls = callsSince(since);
    expect(calls.length).toBeGreaterThanOrEqual(7 * 6);
    const spacing = 1000 / RATE_PER_SECOND;
    const tooSoon = calls.flatMap((call, index) =>
      calls
        .slice(0, index)
        .filter((before, position) => call.at - before.at < (index - position) * spacing - ON_ITS_WAY_MS),
    );
    expect(tooSoon).toEqual([]);
    const workers = new Set<string>();
    for (const productId of productIds) {
      for (const { workflowTaskCompletedEventAttributes: completed } of await historyOf(productId)) {
        if (completed?.identity) workers.add(completed.identity);
      }
    }
    expect(workers.size).toBe(2);
  });

  it('of concurrent calls is not exceeded by two workers together', async () => {
    simulation().behaviour.latency_ms = 700;
    const since = Date.now();
    const { productIds, result } = await startInserts(4);
    await expectAllInserted(result, productIds);
    const calls = callsSince(since);
    const atTheSameTime = calls.map(
      ({ at }) => calls.filter((other) => other.at <= at && at < other.answered_at).length,
    );
    expect(Math.max(...atTheSameTime)).toBe(CONCURRENCY);
  });
});

it('429 with Retry-After: no worker calls earlier', async () => {
  const since = Date.now();
  Object.assign(simulation().behaviour, {
    rate_limit_per_second: 1,
    retry_after_seconds: 10,
    retry_after_form: 'date',
  });
  const first = await startInserts(2);
  const refused = await eventually(async () => callsSince(since).find(({ status }) => status === 429));
  const retryAt = refused.retry_at ?? 0;
  expect(retryAt - refused.answered_at).toBeGreaterThan(9_000);
  await eventually(async () => Date.now() > refused.answered_at + ON_ITS_WAY_MS);
  // The regulator did not refuse these calls: the shared state delays them.
  const later = await startInserts(2);
  await eventually(async () => {
    const seen = await Promise.all(later.productIds.map(lastFailure));
    return seen.every(
      ({ type, message }) =>
        type === 'RegulatorRateLimited' &&
        /^The regulator asked to wait \d+ s before the next call$/.test(message),
    );
  });
  await eventually(async () => callsSince(retryAt).some(({ status }) => status < 300));
  simulation().behaviour.rate_limit_per_second = null;
  await expectAllInserted(first.result, first.productIds);
  await expectAllInserted(later.result, later.productIds);
  const refusals = callsSince(since).filter(({ retry_at }) => retry_at !== null);
  const tooEarly = refusals.flatMap(({ answered_at, retry_at }) =>
    callsSince(since).filter(({ at }) => at > answered_at + ON_ITS_WAY_MS && at < (retry_at ?? 0)),
  );
  expect(tooEarly).toEqual([]);
});

it('an outage only delays inserts, also one of an hour, and they continue at most a minute after it', async () => {
  simulation().behaviour.latency_ms = 500;
  const { productIds, result } = await startInserts(3);
  await eventually(async () => productIds.some((productId) => imports.casesOf(productId).length > 0));
  await stack.simulator.close();
  await eventually(async () => {
    const seen = await Promise.all(productIds.map(lastFailure));
    return seen.every(({ type, attempt }) => type === 'RegulatorUnavailable' && attempt > 3);
  }, MAX_WAIT_MS);
  for (const productId of productIds)
    expect((await lastFailure(productId)).message).toMatch(
      /^The regulator did not answer (POST|PUT) \S+: .*(ECONNREFUSED|closed|ECONNRESET|hang up)/,
    );
  const states = await Promise.all(result.submissions.map(({ id }) => imports.submission(id)));
  expect(states.map(({ status, failure_reason }) => [status, failure_reason])).toEqual(
    productIds.map(() => ['regulator_inserting', null]),
  );
  stack.simulator = await startEmbeddedRegulator(stack.config);
  await expectAllInserted(result, productIds);

  for (const productId of productIds) {
    const events = await historyOf(productId);
    const run = events[0]?.workflowExecutionStartedEventAttributes;
    expect([ms(run?.workflowExecutionTimeout), ms(run?.workflowRunTimeout)]).toEqual([0, 0]);
    const scheduled = events.flatMap(({ activityTaskScheduledEventAttributes }) =>
      activityTaskScheduledEventAttributes ? [activityTaskScheduledEventAttributes] : [],
    );
    // The step that has waited does not make the next one an activity (decision §waits-of-inserts).
    const waiting = events.findIndex(({ activityTaskStartedEventAttributes: it }) => (it?.attempt ?? 0) > 3);
    const [waited, ...later] = events.slice(waiting + 1);
    expect(slowOf(waited)).toBe(false);
    const slowLater = later.filter((event) => slowOf(event) === true);
    const scheduledLater = later.filter((event) => event.activityTaskScheduledEventAttributes);
    expect(scheduledLater.length).toBeLessThanOrEqual(slowLater.length);
    for (const { retryPolicy, scheduleToCloseTimeout, scheduleToStartTimeout } of scheduled) {
      // Temporal's zero: no limit.
      expect(retryPolicy?.maximumAttempts ?? 0).toBe(0);
      expect(retryPolicy?.nonRetryableErrorTypes ?? []).toEqual([]);
      expect([ms(scheduleToCloseTimeout), ms(scheduleToStartTimeout)]).toEqual([0, 0]);
      const { attempts, longest } = attemptsWithin(3_600_000, pausesOf(retryPolicy));
      expect(attempts).toBeGreaterThan(60);
      // So few attempts of so many products do not overload a recovering regulator.
      expect(attempts).toBeLessThan(100);
      expect(longest).toBeLessThanOrEqual(60_000);
    }
  }
});

/**
 * Whether a step makes the next one an activity (activities/insert-steps.ts); undefined for events without such a
 * result.
 */
function slowOf(event: temporal.api.history.v1.IHistoryEvent | undefined): boolean | undefined {
  const { activityTaskCompletedEventAttributes: completed, markerRecordedEventAttributes: marker } =
    event ?? {};
  const [payload] = (completed?.result ?? marker?.details?.result)?.payloads ?? [];
  const [, slow] = /"slow":(true|false)/.exec(Buffer.from(payload?.data ?? []).toString()) ?? [];
  return slow === undefined ? undefined : slow === 'true';
}

type Duration = google.protobuf.IDuration | null | undefined;
type RetryPolicy = temporal.api.common.v1.IRetryPolicy | null | undefined;

function ms(duration: Duration): number {
  return Number(duration?.seconds ?? 0) * 1000 + (duration?.nanos ?? 0) / 1_000_000;
}

/** The endless pauses between the attempts of an activity (Temporal, "Retry Policies"). */
function* pausesOf(policy: RetryPolicy): Generator<number> {
  const longest = ms(policy?.maximumInterval);
  for (let pause = ms(policy?.initialInterval); ; pause *= policy?.backoffCoefficient ?? 1) {
    yield Math.min(pause, longest);
  }
}

function attemptsWithin(periodMs: number, pauses: Iterable<number>): { attempts: number; longest: number } {
  let attempts = 1;
  let at = 0;
  let longest = 0;
  for (const pause of pauses) {
    at += pause;
    longest = Math.max(longest, pause);
    if (at > periodMs) break;
    attempts += 1;
  }
  return { attempts, longest };
}
