/**
 * Schedules: the reconciler, twice a minute (decision §the-reconciler); retention, every night
 * (decision §retention); statistics, every five minutes (decision §statistics-are-rolled-up); and the digests
 * of the previous day, every morning (decision §mails).
 */
import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { TASK_QUEUES } from '../domain/task-queues.ts';

/** Workflows that start at intervals, unless their previous run is still running. */
const SCHEDULES = [
  {
    workflowType: WORKFLOW_TYPES.reconcile,
    staticSummary: 'Repairs records without a running workflow',
    interval: { every: '30 seconds' },
    catchupWindow: '1 minute',
    workflowExecutionTimeout: '10 minutes',
  },
  {
    workflowType: WORKFLOW_TYPES.retention,
    staticSummary: 'Removes expired packages and files',
    // 03:00 UTC. A machine that is off at night catches up when it is on again.
    interval: { every: '1 day', offset: '3 hours' },
    catchupWindow: '1 day',
    workflowExecutionTimeout: '20 hours',
  },
  {
    workflowType: WORKFLOW_TYPES.statistics,
    staticSummary: 'Counts the statistics of each day',
    interval: { every: '5 minutes' },
    catchupWindow: '1 minute',
    workflowExecutionTimeout: '7 hours',
  },
  {
    workflowType: WORKFLOW_TYPES.mailDigests,
    staticSummary: 'Sends the digests of the previous day',
    // 05:00 UTC: a start up to 18 hours late still has the same "day before".
    interval: { every: '1 day', offset: '5 hours' },
    catchupWindow: '18 hours',
    workflowExecutionTimeout: '20 hours',
  },
] as const;

/** Creates missing schedules. An existing schedule keeps an operator's changes. */
export async function ensureSchedules(client: Client): Promise<void> {
  for (const { interval, catchupWindow, ...workflow } of SCHEDULES) {
    const scheduleId = `package-import-${workflow.workflowType}`;
    try {
      await client.schedule.create({
        scheduleId,
        spec: { intervals: [interval] },
        action: {
          ...workflow,
          type: 'startWorkflow',
          workflowId: scheduleId,
          taskQueue: TASK_QUEUES.packageImport,
        },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow },
      });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    }
  }
}
