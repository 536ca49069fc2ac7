/** Temporal's task queues. A worker serves one of them, and its role has the queue's name. */
export const TASK_QUEUES = {
  /** Workflows of imports, their batches and retries, and of checks, e-mail and upkeep. */
  packageImport: 'package-import',
  /** Reading packages, for imports and dry runs. It has activities only, so that no other task waits behind them. */
  packageReading: 'package-reading',
  /** Workflow `regulator-insert` and its six steps, rate-limited to what the regulator allows. */
  regulatorInsert: 'regulator-insert',
} as const;

export type TaskQueue = (typeof TASK_QUEUES)[keyof typeof TASK_QUEUES];
