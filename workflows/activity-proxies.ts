/**
 * Every activity as the workflows call it: timeouts and retry policies, one group per need, all in this
 * file (decision §timeouts-and-retries).
 */
import { type LocalActivityInterfaceFor, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { ImportActivities, InsertActivities, ReadingActivities } from '../activities/index.ts';
import { INSERT_STEPS, type InsertStep } from '../src/contract/steps.ts';
import { perStep, STEP_TITLES } from '../src/domain/steps.ts';
import { TASK_QUEUES } from '../src/domain/task-queues.ts';

/** Activities of an import that are tasks of their own; the others are records. */
type Remote =
  | keyof ReadingActivities
  | 'describeRunsInTheWay'
  | 'cancelInserts'
  | 'retryProducts'
  | 'sendSummary'
  | 'sendDigests'
  | 'deliverWebhook'
  | 'reconcile'
  | 'applyRetention'
  | 'countDays'
  | 'keepSessionAlive';

/** How long work rests after its worker is killed. Several heartbeats (activities/heartbeating.ts) fit in it. */
const HEARTBEAT_TIMEOUT = '10 seconds';

/** Temporal's priorities go from 1, the highest, to 5. */
const LOWEST_PRIORITY = 5;

/**
 * Reads whole archives: long, with heartbeats that carry its progress. Retried for as long as database or storage are
 * away; tries that end their process are counted by the activity itself (activities/outliving.ts).
 */
const extraction = proxyActivities<Pick<ReadingActivities, 'extractPackage'>>({
  taskQueue: TASK_QUEUES.packageReading,
  startToCloseTimeout: '4 hours',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  summary: 'Read the package and create its submissions',
});

/** Somebody waits for the answer: after a few tries no answer is better than a late one. */
const checking = proxyActivities<Pick<ReadingActivities, 'checkPackage'>>({
  taskQueue: TASK_QUEUES.packageReading,
  startToCloseTimeout: '4 hours',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 4 },
  summary: 'Read the package, create nothing',
});

/** Asks Temporal about other runs. */
const lookups = proxyActivities<Pick<ImportActivities, 'describeRunsInTheWay'>>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
  summary: 'Look at the runs that are in the way',
});

/** Tried again until nothing runs any more: what is cancelled may have to wait for its worker. */
const cancelling = proxyActivities<Pick<ImportActivities, 'cancelInserts'>>({
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 1.5, maximumInterval: '30 seconds' },
  summary: 'Cancel batches and inserts of an earlier run',
});

/** Some products at a time: retried for as long as Temporal or the database are away. */
const retrying = proxyActivities<Pick<ImportActivities, 'retryProducts'>>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  summary: 'Run the next products again',
});

/**
 * Waits for a mail server that is away; gives up after two days, when nobody waits for the mail any more. One that is slow
 * may take ten minutes for its last answer alone (src/mail/mailer.ts), and a second try would be a second mail.
 */
const mail = proxyActivities<Pick<ImportActivities, 'sendSummary'>>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '1 minute',
  scheduleToCloseTimeout: '48 hours',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
  summary: 'Send the summary e-mail',
});

/** As the summary, but not beyond the day: the next one comes then. */
const digests = proxyActivities<Pick<ImportActivities, 'sendDigests'>>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '1 minute',
  scheduleToCloseTimeout: '18 hours',
  retry: { initialInterval: '1 minute', backoffCoefficient: 2, maximumInterval: '30 minutes' },
  summary: 'Send the mails about the imports of a day',
});

/**
 * Waits for a receiver that is away: after seconds, later every two hours, for a day. Behind everything else that a worker
 * has to do: a receiver that lets a try wait holds up nobody but itself.
 */
const webhooks = proxyActivities<Pick<ImportActivities, 'deliverWebhook'>>({
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '24 hours',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumInterval: '2 hours' },
  summary: "Bring the message to the client's webhook",
  priority: { priorityKey: LOWEST_PRIORITY },
});

/** Comes again half a minute later anyway. */
const UPKEEP = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
} as const;

const { keepSessionAlive } = proxyActivities<Pick<ImportActivities, 'keepSessionAlive'>>({
  ...UPKEEP,
  summary: 'Renew the regulator session near its end',
});

const { reconcile } = proxyActivities<Pick<ImportActivities, 'reconcile'>>({
  ...UPKEEP,
  summary: 'Heal what is under way and has no running workflow',
});

const upkeep = { keepSessionAlive, reconcile };

/** Looks at everything that is stored; comes again the next night anyway. */
const housekeeping = proxyActivities<Pick<ImportActivities, 'applyRetention'>>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '1 minute', backoffCoefficient: 2, maximumAttempts: 5 },
  summary: 'Remove what need not be kept any longer',
});

/** Comes again five minutes later anyway. The first time there may be years to count. */
const counting = proxyActivities<Pick<ImportActivities, 'countDays'>>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
  summary: 'Count days for the statistics',
});

/**
 * Short statements in our own database, run in the worker of the workflow: an activity task each would
 * cost more than the statement. They are retried for as long as the database is away.
 */
const RECORDS = {
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
} as const;

/** One proxy each, because a summary belongs to a proxy. */
function records<A extends object>(
  summaries: Record<keyof A & string, string>,
): LocalActivityInterfaceFor<A> {
  const activities = Object.entries<string>(summaries).map(([name, summary]) => [
    name,
    proxyLocalActivities({ ...RECORDS, summary })[name],
  ]);
  return Object.fromEntries(activities);
}

const importRecords = records<Omit<ImportActivities, Remote>>({
  planInserts: 'Which products have to be inserted',
  recordQueueResults: 'Record what was queued',
  giveUpBatch: 'Record why a batch is not queued',
  finishQueuing: 'Record the end of queuing',
  insertProgress: 'Look how far the inserts are',
  giveUpRetry: 'Record why the rest is not run again',
  recordLostRun: 'Record the failure, unless the insert has done so itself',
  failImport: 'Record why the package cannot be read',
  completeImport: 'Record the end of the import',
  giveUpWebhook: 'Record that the message was not delivered',
});

const insertRecords = records<Pick<InsertActivities, 'beginInsert' | 'finishInsert' | 'failInsert'>>({
  beginInsert: 'Take the submission over; which steps are left',
  finishInsert: 'Record that the product is inserted',
  failInsert: 'Record why the insert failed',
});

/**
 * The six steps. The further an insert is, the higher its priority: products are finished one after the
 * other instead of all being begun first, and the workers' caches hold those that are under way. A regulator
 * that is away costs nothing but time, so they are retried without end; a rejection is not retried at all
 * (failure-mapping.ts). A try may take long where it sends large attachments; what has gone does not go again, and heartbeats
 * tell whether anybody is still at work.
 */
function stepActivity(step: InsertStep) {
  return proxyActivities<Pick<InsertActivities, InsertStep>>({
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { initialInterval: '500 milliseconds', backoffCoefficient: 1.5, maximumInterval: '1 minute' },
    summary: STEP_TITLES[step],
    priority: { priorityKey: Math.max(1, LOWEST_PRIORITY - INSERT_STEPS.indexOf(step)) },
  })[step];
}

const steps = perStep(stepActivity);

/**
 * The same steps, tried once in the worker of the workflow (insert-step.ts). A step gives up by itself between two calls
 * when the regulator is slow; the limit is for a call that does not come back.
 */
const localSteps = perStep(
  (step) =>
    proxyLocalActivities<Pick<InsertActivities, InsertStep>>({
      startToCloseTimeout: '10 seconds',
      retry: { maximumAttempts: 1 },
      summary: STEP_TITLES[step],
    })[step],
);

export {
  cancelling,
  checking,
  counting,
  digests,
  extraction,
  housekeeping,
  importRecords,
  insertRecords,
  localSteps,
  lookups,
  mail,
  retrying,
  steps,
  upkeep,
  webhooks,
};
