/**
 * Inserts that waited for the end of a pause or for a login let uploads go first (decision §resuming-after-uploads). Only
 * the step that waited is an activity.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it, vi } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { call } from '../support/upload.ts';

vi.setConfig({ testTimeout: 120_000 });

const PRODUCTS = 12;
/** One activity for each insert, and some for steps that a busy machine makes slow. It was one for each step. */
const MOST_ACTIVITIES = (PRODUCTS * INSERT_STEPS.length) / 2;

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

/** Waits for the end of the import. Returns the number of activities of all inserts. */
async function activitiesAtEnd(importId: number, productIds: readonly string[]): Promise<number> {
  await eventually(async () => (await stack.database.imports.find(importId))?.completedAt);
  const histories = await Promise.all(productIds.map((id) => imports.insert(id).fetchHistory()));
  return histories
    .flatMap(({ events }) => events ?? [])
    .filter(({ activityTaskStartedEventAttributes }) => activityTaskStartedEventAttributes).length;
}

it('after a pause: not an activity for each step', async () => {
  const { importId, productIds } = await queueWaiting();
  await pausing('resume');
  expect(await activitiesAtEnd(importId, productIds)).toBeLessThan(MOST_ACTIVITIES);
  expect((await stack.database.imports.find(importId))?.status).toBe('completed');
});

it('after a login: not an activity for each step', async () => {
  const { importId, productIds } = await queueWaiting();
  await call(stack, 'DELETE', '/regulator/session');
  await pausing('resume');
  await eventually(async () => {
    const said = await Promise.all(productIds.map(messageOfWorker));
    return said.some((message) => message.startsWith('Waiting for a regulator session'));
  });
  await stack.logIn();
  expect(await activitiesAtEnd(importId, productIds)).toBeLessThan(MOST_ACTIVITIES);
  expect((await stack.database.imports.find(importId))?.status).toBe('completed');
});
