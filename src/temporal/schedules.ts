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
import type { Duration } from '@temporalio/common';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { TASK_QUEUES } from '../domain/task-queues.ts';

interface Timing extends Pick<ScheduleOptions, 'spec'> {
  /** A start that was missed, for example while the machine was off, is made up for within this time. */
  catchupWindow: Duration;
  workflowExecutionTimeout: Duration;
}

/** A workflow that starts at intervals, unless its previous run is still running. */
function scheduled(
  workflowType: string,
  staticSummary: string,
  { spec, catchupWindow, workflowExecutionTimeout }: Timing,
): ScheduleOptions {
  const scheduleId = `package-import-${workflowType}`;
  return {
    scheduleId,
    spec,
    action: {
      type: 'startWorkflow',
      workflowType,
      workflowId: scheduleId,
      taskQueue: TASK_QUEUES.packageImport,
      workflowExecutionTimeout,
      staticSummary,
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow },
  };
}

const SCHEDULES = [
  scheduled(WORKFLOW_TYPES.reconcile, 'Repairs records without a running workflow', {
    spec: { intervals: [{ every: '30 seconds' }] },
    catchupWindow: '1 minute',
    workflowExecutionTimeout: '10 minutes',
  }),
  scheduled(WORKFLOW_TYPES.retention, 'Removes expired packages and files', {
    // 03:00 UTC. A machine that is off at night catches up when it is on again.
    spec: { intervals: [{ every: '1 day', offset: '3 hours' }] },
    catchupWindow: '1 day',
    workflowExecutionTimeout: '20 hours',
  }),
  scheduled(WORKFLOW_TYPES.statistics, 'Counts the statistics of each day', {
    spec: { intervals: [{ every: '5 minutes' }] },
    catchupWindow: '1 minute',
    workflowExecutionTimeout: '7 hours',
  }),
  scheduled(WORKFLOW_TYPES.mailDigests, 'Sends the digests of the previous day', {
    // 05:00 UTC. Not after midnight: "the day before" would be another day.
    spec: { intervals: [{ every: '1 day', offset: '5 hours' }] },
    catchupWindow: '18 hours',
    workflowExecutionTimeout: '20 hours',
  }),
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
