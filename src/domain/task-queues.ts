/** Temporal's task queues. A worker serves one of them. */
export const TASK_QUEUES = {
  /** Workflows of imports, their batches and retries, and of checks, notifications and upkeep. */
  packageImport: 'package-import',
  /** Reading packages, for imports and dry runs. It has activities only, so that no other task waits behind them. */
  packageReading: 'package-reading',
  /** Workflow `regulator-insert` and its six steps, rate-limited to what the regulator allows. */
  regulatorInsert: 'regulator-insert',
  /** Sending mails. It has activities only: a mail server that does not answer delays nothing but mails. */
  mails: 'mails',
  /** Sending messages to webhooks. It has activities only, for the same reason. */
  webhooks: 'webhooks',
} as const;

/** A worker's role has the name of its task queue. `package-import` also serves the queues `mails` and `webhooks`. */
export const WORKER_ROLES = [
  TASK_QUEUES.packageImport,
  TASK_QUEUES.packageReading,
  TASK_QUEUES.regulatorInsert,
] as const;

export type WorkerRole = (typeof WORKER_ROLES)[number];

export type TaskQueue = (typeof TASK_QUEUES)[keyof typeof TASK_QUEUES];
