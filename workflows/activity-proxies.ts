/**
 * Every activity as the workflows call it: timeouts and retry policies, one group per need, all in this
 * file (design §6).
 */
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { ImportActivities, InsertActivities } from '../activities/index.ts';
import { INSERT_STEPS, type InsertStep, perStep, STEP_TITLES } from '../src/domain/steps.ts';

/** Activities of an import that are tasks of their own; the others are records. */
type Remote = 'extractPackage' | 'describeRunsInTheWay' | 'sendSummary' | 'reconcile' | 'keepSessionAlive';

/** Reads whole archives: long, with heartbeats that carry its progress. */
const extraction = proxyActivities<Pick<ImportActivities, 'extractPackage'>>({
  startToCloseTimeout: '4 hours',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  summary: 'Read the package and create its submissions',
});

/** Asks Temporal about other runs. */
const lookups = proxyActivities<Pick<ImportActivities, 'describeRunsInTheWay'>>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
  summary: 'Look at the runs that are in the way',
});

/** Waits for a mail server that is away; gives up after two days, when nobody waits for the mail any more. */
const mail = proxyActivities<Pick<ImportActivities, 'sendSummary'>>({
  startToCloseTimeout: '2 minutes',
  scheduleToCloseTimeout: '48 hours',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
  summary: 'Send the summary e-mail',
});

/** Comes again half a minute later anyway. */
const upkeep = proxyActivities<Pick<ImportActivities, 'reconcile' | 'keepSessionAlive'>>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
});

/**
 * Short statements in our own database, run in the worker of the workflow: an activity task each would
 * cost more than the statement. They are retried for as long as the database is away.
 */
const RECORDS = {
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
} as const;

const importRecords = proxyLocalActivities<Omit<ImportActivities, Remote>>(RECORDS);

const insertRecords =
  proxyLocalActivities<Pick<InsertActivities, 'beginInsert' | 'finishInsert' | 'failInsert'>>(RECORDS);

/** Temporal's priorities go from 1, the highest, to 5. */
const LOWEST_PRIORITY = 5;

/**
 * The six steps. The further an insert is, the higher its priority: products are finished one after the
 * other instead of all being begun first, and the workers' caches hold those that are under way. A regulator
 * that is away costs nothing but time, so they are retried without end; a rejection is not retried at all
 * (failure-mapping.ts).
 */
function stepActivity(step: InsertStep) {
  return proxyActivities<Pick<InsertActivities, InsertStep>>({
    startToCloseTimeout: '15 minutes',
    heartbeatTimeout: '30 seconds',
    retry: { initialInterval: '500 milliseconds', backoffCoefficient: 1.5, maximumInterval: '1 minute' },
    summary: STEP_TITLES[step],
    priority: { priorityKey: Math.max(1, LOWEST_PRIORITY - INSERT_STEPS.indexOf(step)) },
  })[step];
}

const steps = perStep(stepActivity);

export { extraction, importRecords, insertRecords, lookups, mail, steps, upkeep };
