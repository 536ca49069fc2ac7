/** What runs by itself: the reconciler, twice a minute (design §6). */
import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { TASK_QUEUES, WORKFLOW_TYPES } from '../../workflows/messages.ts';

const RECONCILE = 'package-import-reconcile';
const RECONCILE_EVERY = '30 seconds';

/** Creates the schedules that are not there. One that is there stays as an operator may have changed it. */
export async function ensureSchedules(client: Client): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId: RECONCILE,
      spec: { intervals: [{ every: RECONCILE_EVERY }] },
      action: {
        type: 'startWorkflow',
        workflowType: WORKFLOW_TYPES.reconcile,
        workflowId: RECONCILE,
        taskQueue: TASK_QUEUES.packageImport,
        workflowExecutionTimeout: '10 minutes',
        staticSummary: 'Heals what is under way and has no running workflow',
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
