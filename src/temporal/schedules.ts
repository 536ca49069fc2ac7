/**
 * Schedules: the reconciler, twice a minute (decision §the-reconciler); retention, every night
 * (decision §retention); statistics, every five minutes (decision §statistics-are-rolled-up); and the digests
 * of the previous day, every morning (decision §mails).
 */
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { TASK_QUEUES } from '../domain/task-queues.ts';

const RECONCILE = 'package-import-reconcile';
const RETENTION = 'package-import-retention';
const STATISTICS = 'package-import-statistics';
const DIGESTS = 'package-import-mail-digests';

const SCHEDULES: ScheduleOptions[] = [
  {
    scheduleId: RECONCILE,
    spec: { intervals: [{ every: '30 seconds' }] },
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW_TYPES.reconcile,
      workflowId: RECONCILE,
      taskQueue: TASK_QUEUES.packageImport,
      workflowExecutionTimeout: '10 minutes',
      staticSummary: 'Repairs records without a running workflow',
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  },
  {
    scheduleId: RETENTION,
    // 03:00 UTC.
    spec: { intervals: [{ every: '1 day', offset: '3 hours' }] },
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW_TYPES.retention,
      workflowId: RETENTION,
      taskQueue: TASK_QUEUES.packageImport,
      workflowExecutionTimeout: '20 hours',
      staticSummary: 'Removes expired packages and files',
    },
    // A machine that is off at night catches up when it is on again.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
  },
  {
    scheduleId: STATISTICS,
    spec: { intervals: [{ every: '5 minutes' }] },
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW_TYPES.statistics,
      workflowId: STATISTICS,
      taskQueue: TASK_QUEUES.packageImport,
      workflowExecutionTimeout: '7 hours',
      staticSummary: 'Counts the statistics of each day',
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  },
  {
    scheduleId: DIGESTS,
    // 05:00 UTC.
    spec: { intervals: [{ every: '1 day', offset: '5 hours' }] },
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW_TYPES.mailDigests,
      workflowId: DIGESTS,
      taskQueue: TASK_QUEUES.packageImport,
      workflowExecutionTimeout: '20 hours',
      staticSummary: 'Sends the digests of the previous day',
    },
    // Not after midnight: "the day before" would be another day.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '18 hours' },
  },
];

/** Creates missing schedules. An existing schedule keeps an operator's changes. */
export async function ensureSchedules(client: Client): Promise<void> {
  for (const schedule of SCHEDULES) {
    try {
      await client.schedule.create(schedule);
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    }
  }
}
