/** The numbers of attempts, times, priorities and heartbeats that workflows ask for (decision §timeouts-and-retries). */
import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  createImportActivities,
  createInsertActivities,
  createMailActivities,
  createReadingActivities,
} from '../../activities/index.ts';
import { packageKey } from '../../src/archive/storage.ts';
import { INSERT_STEPS } from '../../src/contract/steps.ts';

/** Shows the options of a proxy in place of each of its activities, and as their result. */
const showingOptions = vi.hoisted(
  () => (options: object) => new Proxy({}, { get: () => Object.assign(async () => options, options) }),
);
vi.mock('@temporalio/workflow', () => ({
  ActivityCancellationType: {},
  proxyActivities: showingOptions,
  proxyLocalActivities: showingOptions,
}));
/** Returns the results of both. */
vi.mock('../../workflows/failures.ts', () => ({
  locallyFirst: async (local: Promise<object>, activity: () => Promise<object>) => ({
    local: await local,
    activity: await activity(),
  }),
}));

interface Options {
  startToCloseTimeout?: string;
  scheduleToCloseTimeout?: string;
  heartbeatTimeout?: string;
  retry?: { maximumAttempts?: number };
  priority?: { priorityKey: number };
}

type OfARecord = () => Promise<Record<'local' | 'activity', Options>>;

const proxies = (await import('../../workflows/activity-proxies.ts')) as unknown as Record<string, Options> &
  Record<'steps' | 'localSteps', Record<string, Options>> & { records: Record<string, OfARecord> };
const {
  steps,
  localSteps,
  records,
  extractPackage,
  checkPackage,
  forgetPackage,
  sendSummary,
  deliverWebhook,
} = proxies;
const completeImport = await records.completeImport?.();

it('later steps have a higher priority, within the five of Temporal', () => {
  const priorities = INSERT_STEPS.map((step) => steps[step]?.priority?.priorityKey);
  expect(priorities).toEqual([5, 4, 3, 2, 1, 1]);
});

it('activities are retried without a limit, except a dry run, which is tried four times', () => {
  for (const options of [extractPackage, forgetPackage, completeImport?.activity, ...Object.values(steps)]) {
    expect(options?.retry).toBeDefined();
    expect(options?.retry?.maximumAttempts).toBeUndefined();
  }
  expect(checkPackage?.retry?.maximumAttempts).toBe(4);
});

it('a local step has one attempt: then it becomes an activity, which the Web UI shows', () => {
  for (const step of INSERT_STEPS) expect(localSteps[step]?.retry?.maximumAttempts).toBe(1);
});

it('a record has six local attempts: then it becomes an activity', () => {
  expect(completeImport?.local.retry?.maximumAttempts).toBe(6);
});

it('long activities have a time limit for an attempt, and a shorter one for its silence', () => {
  expect({ ...extractPackage }).toMatchObject({
    startToCloseTimeout: '4 hours',
    heartbeatTimeout: '10 seconds',
  });
  expect({ ...steps.design }).toMatchObject({
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '10 seconds',
  });
  expect({ ...sendSummary }).toMatchObject({
    startToCloseTimeout: '30 minutes',
    scheduleToCloseTimeout: '48 hours',
  });
  expect({ ...deliverWebhook }).toMatchObject({ scheduleToCloseTimeout: '24 hours' });
});

/** Answers nothing: every call of it, and of its properties, waits for ever. */
const silent: object = new Proxy(() => {}, {
  get: (_, name) => (name === 'then' ? undefined : silent),
  apply: () => new Promise(() => {}),
});

/** Answers nothing except these properties. */
const silentBut = (known: object): object =>
  new Proxy(known, { get: (_, name) => Reflect.get(known, name) ?? silent });

it('every activity with a heartbeat timeout goes on sending heartbeats while it waits', async () => {
  const dependencies = silentBut({
    database: silentBut({
      imports: silentBut({ reopen: async () => {}, find: async () => ({}) }),
      importRetries: silentBut({ open: async () => ({ clientId: 'a' }), counts: async () => ({}) }),
    }),
    digests: [{ clientId: 'a', addresses: [] }],
    retentionDays: 1,
    failedRetentionDays: 1,
  }) as never;
  const activities = {
    ...createReadingActivities(dependencies),
    ...createImportActivities(dependencies),
    ...createMailActivities(dependencies),
    ...createInsertActivities(dependencies),
  } as unknown as Record<string, (input: object) => Promise<unknown>>;
  const { records: _, localSteps: __, steps: sixSteps, ...others } = proxies;
  const timed = Object.entries({ ...others, ...sixSteps }).filter(
    ([, { heartbeatTimeout }]) => heartbeatTimeout,
  );
  expect(timed.length).toBeGreaterThan(10);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const input = { checkUuid: randomUUID(), storageKey: packageKey(randomUUID(), new Date()) };
  const without: string[] = [];
  for (const [name] of timed) {
    const environment = new MockActivityEnvironment();
    let beats = 0;
    environment.on('heartbeat', () => {
      beats += 1;
    });
    void environment.run(async () => activities[name]?.(input));
    const hasBeaten = () => {
      vi.advanceTimersByTime(2_000);
      // The first may be a report at the start.
      return beats > 2;
    };
    await vi.waitUntil(hasBeaten, { timeout: 5_000 }).catch(() => without.push(name));
  }
  expect(without).toEqual([]);
});
