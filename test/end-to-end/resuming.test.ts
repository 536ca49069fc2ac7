/**
 * Inserts that waited for the end of a pause or for a login resume at a pace (decision §resuming-at-a-pace): uploads are
 * answered meanwhile. Only the step that waited is an activity.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it, vi } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { call } from '../support/upload.ts';

vi.setConfig({ testTimeout: 120_000 });

const PRODUCTS = 60;
/** One activity for each insert, and some for steps that a busy machine makes slow. It was one for each step. */
const MOST_ACTIVITIES = (PRODUCTS * INSERT_STEPS.length) / 2;
/** Tries that one worker begins in any second: ten, and those that its five pollers have fetched before. */
const MOST_IN_A_SECOND = 20;

const stack = await startStack();
const { imports } = stack;
const pausing = (action: 'pause' | 'resume') =>
  call(stack, 'POST', `/regulator/inserting/actions/${action}`, {
    ...(action === 'pause' && { json: { reason: 'asked to' } }),
  });

/** Queues products while inserting is paused. Resolves when each of them waits. */
async function queueWaiting(): Promise<{ importId: number; productIds: string[] }> {
  await pausing('pause');
  const productIds = Array.from({ length: PRODUCTS }, newProductId);
  const { id } = await imports.importProducts(productIds.map((productId) => ({ productId })));
  await eventually(async () => {
    const runs = await Promise.all(productIds.map((productId) => imports.insert(productId).describe()));
    return runs.every(({ raw }) => raw.pendingActivities?.length);
  });
  return { importId: id, productIds };
}

/** What the worker of a waiting step says about it. */
async function messageOfWorker(productId: string): Promise<string> {
  const { raw } = await imports.insert(productId).describe();
  const [heartbeat] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
  return heartbeat ? (defaultPayloadConverter.fromPayload<string | null>(heartbeat) ?? '') : '';
}

/** Waits for the end of the import. Returns the activities of each insert: the times at which their last tries began. */
async function activitiesAtEnd(importId: number, productIds: readonly string[]): Promise<number[][]> {
  await eventually(async () => (await stack.database.imports.find(importId))?.completedAt);
  return Promise.all(
    productIds.map(async (productId) => {
      const { events } = await imports.insert(productId).fetchHistory();
      return (events ?? [])
        .filter(({ activityTaskStartedEventAttributes }) => activityTaskStartedEventAttributes)
        .map(({ eventTime }) => Number(eventTime?.seconds) * 1000 + (eventTime?.nanos ?? 0) / 1e6);
    }),
  );
}

/** Greatest number of times within one second. */
function mostInASecond(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 1_000).length));
}

it('after a pause: a few tries a second, and no activity for each step', async () => {
  const { importId, productIds } = await queueWaiting();
  await pausing('resume');
  const activities = await activitiesAtEnd(importId, productIds);
  expect(activities.flat().length).toBeLessThan(MOST_ACTIVITIES);
  expect(mostInASecond(activities.flat())).toBeLessThanOrEqual(MOST_IN_A_SECOND);
  expect((await stack.database.imports.find(importId))?.status).toBe('completed');
});

it('after a login: a few tries a second, and no activity for each step', async () => {
  const { importId, productIds } = await queueWaiting();
  await call(stack, 'DELETE', '/regulator/session');
  await pausing('resume');
  await eventually(async () => {
    const said = await Promise.all(productIds.map(messageOfWorker));
    return said.some((message) => message.startsWith('Waiting for a regulator session'));
  });
  await stack.logIn();
  const activities = await activitiesAtEnd(importId, productIds);
  expect(activities.flat().length).toBeLessThan(MOST_ACTIVITIES);
  expect(mostInASecond(activities.flat())).toBeLessThanOrEqual(MOST_IN_A_SECOND);
  expect((await stack.database.imports.find(importId))?.status).toBe('completed');
});
