/** BullMQ on Redis. */
import { FIRST_PAUSE_SECONDS, optional, QUEUE, type QueueKind, type QueueSettings, TRIES } from './queue.ts';

const OPTIONS = {
  attempts: TRIES,
  backoff: { type: 'exponential', delay: FIRST_PAUSE_SECONDS * 1000 },
};

/** Workers wait for Redis as long as it takes; BullMQ asks for that. */
const connectionTo = ({ redisPort }: QueueSettings) => ({
  host: '127.0.0.1',
  port: redisPort,
  maxRetriesPerRequest: null,
});

export const bullmq: QueueKind = {
  name: 'BullMQ',
  usesRedis: true,
  packages: ['bullmq', 'ioredis'],

  async openSender(settings) {
    const { Queue } = await optional('bullmq');
    const queue = new Queue(QUEUE, { connection: connectionTo(settings) });
    await queue.waitUntilReady();
    return {
      async send(jobs) {
        await queue.addBulk(
          jobs.map((data) => ({ name: QUEUE, data, opts: { ...OPTIONS, jobId: data.reference } })),
        );
      },
      counts: () => queue.getJobCounts('completed', 'failed'),
      close: () => queue.close(),
    };
  },

  async startWorker(settings, insert) {
    const { Worker } = await optional('bullmq');
    const { concurrency } = settings;
    const worker = new Worker(
      QUEUE,
      (job: { data: Parameters<typeof insert>[0]; attemptsStarted: number }) =>
        insert(job.data, job.attemptsStarted > 1),
      { connection: connectionTo(settings), concurrency },
    );
    await worker.waitUntilReady();
    return () => worker.close();
  },
};
