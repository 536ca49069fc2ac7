/** The numbers of tries, times and priorities that workflows ask for (decision §timeouts-and-retries). */
import { expect, it, vi } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';

/** Shows the options of a proxy in place of each of its activities. */
const showingOptions = vi.hoisted(() => (options: object) => new Proxy({}, { get: () => options }));
vi.mock('@temporalio/workflow', () => ({
  ActivityCancellationType: {},
  proxyActivities: showingOptions,
  proxyLocalActivities: showingOptions,
}));

interface Options {
  startToCloseTimeout?: string;
  scheduleToCloseTimeout?: string;
  heartbeatTimeout?: string;
  retry?: { maximumAttempts?: number };
  priority?: { priorityKey: number };
}

const proxies = (await import('../../workflows/activity-proxies.ts')) as unknown as Record<
  string,
  Record<string, Options>
>;
const optionsOf = (proxy: string, activity: string) => proxies[proxy]?.[activity] ?? {};

it('later steps have a higher priority, within the five of Temporal', () => {
  const priorities = INSERT_STEPS.map((step) => optionsOf('steps', step).priority?.priorityKey);
  expect(priorities).toEqual([5, 4, 3, 2, 1, 1]);
});

it('activities are retried without a limit, except a dry run, which is tried four times', () => {
  const triesOf = (proxy: string, activity: string) => optionsOf(proxy, activity).retry?.maximumAttempts;
  expect(triesOf('extraction', 'extractPackage')).toBeUndefined();
  for (const step of INSERT_STEPS) expect(triesOf('steps', step)).toBeUndefined();
  expect(triesOf('importRecords', 'completeImport')).toBeUndefined();
  expect(triesOf('checking', 'checkPackage')).toBe(4);
});

it('a local step has one try: then it becomes an activity, which the Web UI shows', () => {
  for (const step of INSERT_STEPS) expect(optionsOf('localSteps', step).retry?.maximumAttempts).toBe(1);
});

it('the times are those of the limits in docs/architecture.md', () => {
  expect(optionsOf('extraction', 'extractPackage')).toMatchObject({
    startToCloseTimeout: '4 hours',
    heartbeatTimeout: '10 seconds',
  });
  expect(optionsOf('steps', 'design')).toMatchObject({
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '10 seconds',
  });
  expect(optionsOf('mail', 'sendSummary')).toMatchObject({
    startToCloseTimeout: '30 minutes',
    scheduleToCloseTimeout: '48 hours',
  });
  expect(optionsOf('webhooks', 'deliverWebhook')).toMatchObject({ scheduleToCloseTimeout: '24 hours' });
});
