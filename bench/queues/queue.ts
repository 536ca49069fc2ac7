/** What a queue is made to do here, whichever it is. */
import type { InsertProduct, ProductJob } from './product-job.ts';

export interface QueueSettings {
  /** A database of its own on the server of the service. */
  databaseUrl: string;
  /** Of the Redis server; 0 where the queue has none. */
  redisPort: number;
  /** Products under way at the same time, as in the service. */
  concurrency: number;
}

export interface JobCounts {
  completed: number;
  /** For good: no try is left. */
  failed: number;
}

/** The side that gives work. */
export interface JobSender {
  send(jobs: readonly ProductJob[]): Promise<void>;
  /** Of all jobs that were ever sent. */
  counts(): Promise<JobCounts>;
  close(): Promise<void>;
}

export interface QueueKind {
  name: 'BullMQ' | 'pg-boss';
  usesRedis: boolean;
  /** What npm has to install, and what it needs besides. */
  packages: readonly string[];
  openSender(settings: QueueSettings): Promise<JobSender>;
  /** Begins to work on jobs, in a process of its own. @returns how to end it */
  startWorker(settings: QueueSettings, insert: InsertProduct): Promise<() => Promise<void>>;
}

export const QUEUE = 'insert-product';
/** How often a job is tried, by the means of the queue. */
export const TRIES = 5;
export const FIRST_PAUSE_SECONDS = 1;

/** Modules of packages that are there only where somebody has installed them, and have no types here. */
// biome-ignore lint/suspicious/noExplicitAny: nothing is known about a package that need not be there
export const optional = (name: string): Promise<any> => import(name);
