/**
 * Proxies of every activity for the workflows: timeouts and retry policies, one group per need, all in this file
 * (decision §timeouts-and-retries).
 */
import type { ActivityFunction } from '@temporalio/common';
import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type {
  ImportActivities,
  InsertActivities,
  MailActivities,
  ReadingActivities,
  WebhookActivities,
} from '../activities/index.ts';
import { INSERT_STEPS, type InsertStep } from '../src/contract/steps.ts';
import { perStep, STEP_TITLES } from '../src/domain/steps.ts';
import { TASK_QUEUES } from '../src/domain/task-queues.ts';
import { locallyFirst } from './failures.ts';

/**
 * Delay until work restarts after its worker is killed. Several heartbeats (activities/activity-context.ts) fit in it.
 */
const HEARTBEAT_TIMEOUT = '10 seconds';

/**
 * Waits until a cancelled activity has ended. By default the run continues at once, and its records compete with the
 * running activity.
 */
const UNTIL_ITS_END = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;

/** Temporal's priorities go from 1, the highest, to 5. */
const LOWEST_PRIORITY = 5;

/**
 * Reads whole archives, which takes long. Heartbeats contain its progress. Retried while the database or the storage is
 * unreachable. The activity itself counts attempts that end their process (activities/reading/limit-lost-attempts.ts).
 */
export const { extractPackage } = proxyActivities<ReadingActivities>({
  taskQueue: TASK_QUEUES.packageReading,
  startToCloseTimeout: '4 hours',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumInterval: '30 seconds' },
  summary: 'Read the package and create its submissions',
  ...UNTIL_ITS_END,
});

/** Four attempts. A client waits: an error helps it more than a late answer. */
export const { checkPackage } = proxyActivities<ReadingActivities>({
  taskQueue: TASK_QUEUES.packageReading,
  startToCloseTimeout: '4 hours',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumAttempts: 4 },
  summary: 'Read the package for a dry run',
});

export const { describeRunsInTheWay } = proxyActivities<ImportActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
  summary: 'Look up the conflicting runs',
});

/** Retried until every run has ended: a cancelled run may have to wait for its worker. */
export const { cancelInserts } = proxyActivities<ImportActivities>({
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 1.5, maximumInterval: '30 seconds' },
  summary: 'Cancel the batches and inserts under way',
});

/** Removes up to 50,000 attachments, one after the other. An attempt continues after the last removed one. */
export const { forgetPackage } = proxyActivities<ImportActivities>({
  startToCloseTimeout: '4 hours',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumInterval: '30 seconds' },
  summary: 'Remove the attachments of the failed package',
});

export const { retryProducts } = proxyActivities<ImportActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumInterval: '30 seconds' },
  summary: 'Retry the next products',
  ...UNTIL_ITS_END,
});

export const { actOnNextImport } = proxyActivities<ImportActivities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumInterval: '30 seconds' },
  summary: 'Retry or cancel the next import',
  ...UNTIL_ITS_END,
});

/**
 * Retried while the mail server is unreachable, for at most two days: later nobody needs the mail. A slow server may
 * take ten minutes for its last answer alone (src/notifications/mail/mailer.ts), and a second attempt would send a
 * second mail.
 */
export const { sendSummary } = proxyActivities<MailActivities>({
  taskQueue: TASK_QUEUES.mails,
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '1 minute',
  scheduleToCloseTimeout: '48 hours',
  retry: { initialInterval: '2 seconds', maximumInterval: '10 minutes' },
  summary: 'Send the summary e-mail',
});

/** Like the summary, but at most for a day: the next digest follows then. */
export const { sendDigests } = proxyActivities<MailActivities>({
  taskQueue: TASK_QUEUES.mails,
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '1 minute',
  scheduleToCloseTimeout: '18 hours',
  retry: { initialInterval: '1 minute', maximumInterval: '30 minutes' },
  summary: 'Send the digests of a day',
});

/**
 * Retried for a day. The activity itself names the pause before its next attempt (activities/webhooks.ts). The intervals
 * here are for failures of the service, e.g. of its database.
 */
export const { deliverWebhook } = proxyActivities<WebhookActivities>({
  taskQueue: TASK_QUEUES.webhooks,
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '24 hours',
  retry: { initialInterval: '5 seconds', maximumInterval: '5 minutes' },
  summary: "Deliver the message to the client's webhook",
});

/** Few attempts: the schedule repeats it half a minute later. */
const UPKEEP = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
} as const;

export const { keepSessionAlive } = proxyActivities<ImportActivities>({
  ...UPKEEP,
  summary: 'Renew the regulator session if it ends soon',
});

export const { reconcile } = proxyActivities<ImportActivities>({
  ...UPKEEP,
  summary: 'Repair records without a running workflow',
});

export const { applyRetention } = proxyActivities<ImportActivities>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '1 minute', maximumAttempts: 5 },
  summary: 'Remove expired packages and files',
});

/** Few attempts: the schedule repeats it five minutes later. The first run may count years. */
export const { countDays } = proxyActivities<ImportActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
  summary: 'Count the statistics of days',
});

/**
 * Short statements in our own database, as local activities in the worker of the workflow at first: an activity task
 * would cost more than the statement. After six attempts they become activities, which the server retries without end:
 * after seconds if the database refuses connections, after three minutes if it is silent. Retried locally for 38 hours,
 * they would end the run by the length of its history.
 */
const RECORDS = {
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '30 seconds' },
} as const;
const LOCAL_RECORDS = { ...RECORDS, retry: { ...RECORDS.retry, maximumAttempts: 6 } };

type Records = ImportActivities & InsertActivities;
type Untyped = Record<keyof Records, ActivityFunction>;

/** Records with these summaries for the Web UI. Each has proxies of its own, because a summary belongs to a proxy. */
export function withSummaries<Name extends keyof Records>(
  summaries: Record<Name, string>,
): Pick<Records, Name> {
  const activities = (Object.entries(summaries) as [keyof Records, string][]).map(([name, summary]) => {
    const local = proxyLocalActivities<Untyped>({ ...LOCAL_RECORDS, summary })[name];
    const activity = proxyActivities<Untyped>({ ...RECORDS, summary })[name];
    return [name, (args: unknown) => locallyFirst(local(args), () => activity(args))];
  });
  return Object.fromEntries(activities);
}

export const records = withSummaries({
  planInserts: 'List the products to insert',
  recordQueueResults: 'Record the queue results',
  giveUpBatch: 'Record why a batch is not queued',
  finishQueuing: 'Record the end of queuing',
  insertProgress: 'Read the progress of the inserts',
  giveUpRetry: 'Record why the other products are not retried',
  queuedByRetry: 'Read the result of the retry',
  recordLostRun: 'Record the failure unless the insert has recorded it',
  summaryIsDue: 'Check whether a summary e-mail is due',
  failImport: 'Record why the package could not be read',
  completeImport: 'Record the end of the import',
  giveUpWebhook: 'Record that the message was not delivered',
  beginInsert: 'Take over the submission and list its remaining steps',
  finishInsert: 'Record the end of the insert',
  failInsert: 'Record why the insert failed',
});

/**
 * The six steps. A later step has a higher priority: products finish one after the other instead of all being begun
 * first, and the workers' caches hold the begun ones. Steps are retried without end while the regulator is unreachable.
 * A rejection is not retried (failure-mapping.ts). An attempt with large attachments may take long: sent attachments
 * are not sent again, and heartbeats show that the attempt is alive.
 */
function stepActivity(step: InsertStep) {
  return proxyActivities<Pick<InsertActivities, InsertStep>>({
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { initialInterval: '500 milliseconds', backoffCoefficient: 1.5, maximumInterval: '1 minute' },
    summary: STEP_TITLES[step],
    priority: { priorityKey: Math.max(1, LOWEST_PRIORITY - INSERT_STEPS.indexOf(step)) },
    ...UNTIL_ITS_END,
  })[step];
}

export const steps = perStep(stepActivity);

/**
 * The same steps as local activities with one attempt, in the worker of the workflow (regulator-insert.ts). A step
 * gives up between two calls when the regulator is slow. The timeout is for a call without an answer. It also covers
 * the wait for a slot and for the thread. An interrupted call is repeated.
 */
export const localSteps = perStep(
  (step) =>
    proxyLocalActivities<Pick<InsertActivities, InsertStep>>({
      startToCloseTimeout: '20 seconds',
      retry: { maximumAttempts: 1 },
      summary: STEP_TITLES[step],
      ...UNTIL_ITS_END,
    })[step],
);
