/**
 * A regulator session that ends during inserts: running inserts wait visibly, and continue within seconds of
 * the next login. Nothing fails, no call is repeated. Near its end the service renews the
 * session if the regulator allows it.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import type { ImportResult } from '../../src/contract/types.ts';
import { insertWorkflowId } from '../../src/domain/ids.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { call, report } from '../support/upload.ts';

const stack = await startStack();
const { imports } = stack;
beforeEach(() => stack.logIn());

vi.setConfig({ testTimeout: 240_000 });
const MAX_WAIT_MS = 120_000;

const PRODUCTS = 3;
/** The test product has no data for the last step. */
const STEPS_SENT = 5;
/** Products that wait together. */
const WAITING = 12;
/** One activity for each insert, and some for steps that a busy machine makes slow. It was one for each step. */
const MAX_ACTIVITIES = (WAITING * INSERT_STEPS.length) / 2;
/** Longest time between a login and its first use. An idle machine takes a second. */
const SECONDS_MS = 10_000;

const simulation = () => stack.simulator.simulation;

interface Waiting {
  /** The running step: the failure of its last attempt, and the current message of its worker. */
  failure: string;
  failureType: string;
  heartbeat: string;
  details: string;
}

/** The insert as operators see it in the Web UI. */
async function seen(productId: string): Promise<Waiting> {
  const handle = stack.temporal.workflow.getHandle(insertWorkflowId(productId));
  const { raw } = await handle.describe();
  const [step] = raw.pendingActivities ?? [];
  const [heartbeat] = step?.heartbeatDetails?.payloads ?? [];
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return {
    failure: step?.lastFailure?.message ?? '',
    failureType: step?.lastFailure?.applicationFailureInfo?.type ?? '',
    heartbeat: heartbeat ? (defaultPayloadConverter.fromPayload<string | null>(heartbeat) ?? '') : '',
    details: metadata.currentDetails ?? '',
  };
}

/** Waits until every insert says that it waits for a login, in the Web UI. */
async function allWaiting(productIds: readonly string[]): Promise<Waiting[]> {
  return eventually(async () => {
    const waiting = await Promise.all(productIds.map(seen));
    return waiting.every(({ failureType, heartbeat }) => failureType && heartbeat) && waiting;
  }, MAX_WAIT_MS);
}

/** Returns in the middle of the inserts: none can have ended. */
async function startInserts(): Promise<{ productIds: string[]; result: ImportResult }> {
  const productIds = Array.from({ length: PRODUCTS }, newProductId);
  simulation().behaviour.latency_ms = 1500;
  const result = await imports.importProducts(productIds.map((productId) => ({ productId })));
  await eventually(async () => productIds.some((productId) => imports.casesOf(productId).length > 0));
  return { productIds, result };
}

/** The login as an operator does it, with the code from the mail. */
async function logInThroughGateway(): Promise<void> {
  expect((await call(stack, 'POST', '/regulator/session')).status).toBe(202);
  const { pendingCode: code } = simulation().state;
  const verified = await call(stack, 'POST', '/regulator/session/verification', { json: { code } });
  expect(verified.body.data).toMatchObject({ status: 'active' });
}

/** Two of the ten minutes of the session are left, so its renewal is due. */
async function letSessionAge(): Promise<void> {
  const earlier = (column: string) => `${column} = ${column} - interval '8 minutes'`;
  await stack.sql(`update regulator_session set ${earlier('updated_at')}, ${earlier('expires_at')}`);
}

async function expectInsertedOnce({ id }: ImportResult, productIds: readonly string[]): Promise<void> {
  await eventually(async () => (await stack.database.imports.find(id))?.completedAt, MAX_WAIT_MS);
  const { submissions } = await report(stack, id);
  expect(submissions.map(({ status }) => status)).toEqual(Array(PRODUCTS).fill('regulator_inserted'));
  const cases = productIds.flatMap((productId) => imports.casesOf(productId));
  expect(cases.map(({ opened }) => opened)).toEqual(Array(PRODUCTS).fill(1));
  expect(cases.map(({ steps }) => Object.values(steps).map(({ accepted }) => accepted))).toEqual(
    Array(PRODUCTS).fill(Array(STEPS_SENT).fill(1)),
  );
  const mails = await imports.summariesOf(id);
  expect(mails).toHaveLength(1);
  const failures = `audit_event where import_id = ${id} and action = 'submission.regulator_insert_failed'`;
  expect(await stack.count(failures)).toBe(0);
}

describe('a session that is revoked during inserts', () => {
  it('makes them wait until the next login through the gateway', async () => {
    const { productIds, result } = await startInserts();
    await simulation().state.endSession();
    simulation().behaviour.latency_ms = 0;
    for (const { failure, failureType, heartbeat, details } of await allWaiting(productIds)) {
      expect(failureType).toBe('RegulatorSessionRequired');
      expect(failure).toMatch(
        /^The regulator session expired at \S+ Log in with POST \/regulator\/session\.$/,
      );
      expect(heartbeat).toBe('Waiting for a regulator session (expired)');
      expect(details).toMatch(/^Step [1-5] of 6: /);
    }
    const session = await call(stack, 'GET', '/regulator/session');
    expect(session.body.data).toMatchObject({ status: 'expired' });
    const state = await Promise.all(result.submissions.map(({ id }) => imports.submission(id)));
    expect(state.map(({ status }) => status)).toEqual(Array(PRODUCTS).fill('regulator_inserting'));

    await logInThroughGateway();
    const loggedInAt = Date.now();
    const next = await eventually(async () =>
      simulation().calls.find(
        ({ at, path, status }) => at >= loggedInAt - 1000 && path.startsWith('/cases') && status === 200,
      ),
    );
    expect(next.at - loggedInAt).toBeLessThan(SECONDS_MS);
    await expectInsertedOnce(result, productIds);
  });
});

describe('a session that expires during inserts', () => {
  it('without a renewal is used to its end, then inserts wait until the next login', async () => {
    Object.assign(simulation().behaviour, { session_ttl_seconds: 600, renewal: 'unknown' });
    await stack.logIn();
    const loggedInAt = Date.now();
    const callsOf = (path: string) =>
      simulation().calls.filter((call) => call.at >= loggedInAt && call.path.startsWith(path));
    const { productIds, result } = await startInserts();
    await letSessionAge();
    await eventually(async () => {
      const [refused] = callsOf('/session/renewal');
      return refused && callsOf('/cases').some(({ at, status }) => at > refused.at && status === 200);
    });
    await stack.sql('update regulator_session set expires_at = now()');
    await allWaiting(productIds);
    // Requested once, not with every call.
    expect(callsOf('/session/renewal').map(({ status }) => status)).toEqual([404]);
    imports.restoreRegulator();
    await stack.logIn();
    await expectInsertedOnce(result, productIds);
  });

  it('is renewed near its end by one worker for all, and no attempt fails', async () => {
    await stack.startWorkers();
    simulation().behaviour.session_ttl_seconds = 600;
    await stack.logIn();
    const loggedInAt = Date.now();
    const { productIds, result } = await startInserts();
    await letSessionAge();
    await expectInsertedOnce(result, productIds);
    const renewals = simulation().calls.filter(
      ({ at, path }) => at >= loggedInAt && path === '/session/renewal',
    );
    // The old token ended with the renewal: pending calls had to be repeated.
    expect(renewals.map(({ status }) => status)).toEqual([200]);
    const { expiresAt } = await stack.database.regulatorSession.state();
    expect(expiresAt?.getTime()).toBeGreaterThan(loggedInAt + 600_000);
    const attempts = await Promise.all(
      productIds.map(async (productId) => {
        const { events } = await stack.temporal.workflow
          .getHandle(insertWorkflowId(productId))
          .fetchHistory();
        return (events ?? []).flatMap((event) => event.activityTaskStartedEventAttributes?.attempt ?? []);
      }),
    );
    expect(attempts).toEqual(Array(PRODUCTS).fill(Array(STEPS_SENT).fill(1)));
  });
});

const pausing = (action: 'pause' | 'resume') =>
  call(stack, 'POST', `/regulator/inserting/actions/${action}`, {
    ...(action === 'pause' && { json: { reason: 'asked to' } }),
  });

/** Queues products while inserting is paused. Resolves when each of them waits. */
async function queueWaiting(): Promise<{ importId: number; productIds: string[] }> {
  await pausing('pause');
  const productIds = Array.from({ length: WAITING }, newProductId);
  const { id } = await imports.importProducts(productIds.map((productId) => ({ productId })));
  await eventually(async () => {
    const runs = await Promise.all(productIds.map((productId) => imports.insert(productId).describe()));
    return runs.every(({ raw }) => raw.pendingActivities?.length);
  });
  return { importId: id, productIds };
}

/** Waits for the end of the import. Returns the number of activities of all inserts. */
async function activitiesAtEnd(importId: number, productIds: readonly string[]): Promise<number> {
  await eventually(async () => (await stack.database.imports.find(importId))?.completedAt);
  const histories = await Promise.all(productIds.map((id) => imports.insert(id).fetchHistory()));
  return histories
    .flatMap(({ events }) => events ?? [])
    .filter(({ activityTaskStartedEventAttributes }) => activityTaskStartedEventAttributes).length;
}

// They let uploads go first (decision §waits-of-inserts). Only the step that waited is an activity.
describe('inserts that waited for the end of a pause, and then for a login, resume', () => {
  it('after the login: not an activity for each step', async () => {
    const { importId, productIds } = await queueWaiting();
    await call(stack, 'DELETE', '/regulator/session');
    await pausing('resume');
    await eventually(async () => {
      const said = await Promise.all(productIds.map(seen));
      return said.some(({ heartbeat }) => heartbeat.startsWith('Waiting for a regulator session'));
    });
    await stack.logIn();
    expect(await activitiesAtEnd(importId, productIds)).toBeLessThan(MAX_ACTIVITIES);
    expect((await stack.database.imports.find(importId))?.status).toBe('completed');
  });
});
