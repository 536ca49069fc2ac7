/** Temporal's task queues. A worker serves one of them, and its role has the queue's name. */
export const TASK_QUEUES = {
  /** Workflows `package-import`, `package-import-batch` and `package-check`, extraction and e-mail. */
  packageImport: 'package-import',
  /** Workflow `regulator-insert` and its six steps, rate-limited to what the regulator allows. */
  regulatorInsert: 'regulator-insert',
} as const;

export type TaskQueue = (typeof TASK_QUEUES)[keyof typeof TASK_QUEUES];
