/** pg-boss in a PostgreSQL database. */
import type { ProductJob } from './product-job.ts';
import { FIRST_PAUSE_SECONDS, optional, QUEUE, type QueueKind, TRIES } from './queue.ts';

/** With one job at a time a worker of pg-boss pauses half a second after each; with full batches it goes on at once. */
const BATCH = 2;

interface Job {
  id: string;
  data: ProductJob;
  retryCount: number;
}

export const pgBoss: QueueKind = {
  name: 'pg-boss',
  usesRedis: false,
  packages: ['pg-boss'],

  async openSender({ databaseUrl }) {
    const { PgBoss } = await optional('pg-boss');
    const boss = new PgBoss({ connectionString: databaseUrl, max: 2, supervise: false, schedule: false });
    boss.on('error', () => {});
    await boss.start();
    await boss.createQueue(QUEUE, {
      notify: true,
      retryLimit: TRIES - 1,
      retryDelay: FIRST_PAUSE_SECONDS,
      retryBackoff: true,
    });
    return {
      async send(jobs) {
        await boss.insert(
          QUEUE,
          jobs.map((data) => ({ id: data.reference, data })),
        );
      },
      async counts() {
        const { rows } = await boss.getDb().executeSql(
          `select count(*) filter (where state = 'completed')::int as completed,
                  count(*) filter (where state = 'failed')::int as failed
           from pgboss.job where name = $1`,
          [QUEUE],
        );
        return rows[0];
      },
      close: () => boss.stop({ graceful: false }),
    };
  },

  async startWorker({ databaseUrl, concurrency }, insert) {
    const { PgBoss } = await optional('pg-boss');
    const boss = new PgBoss({ connectionString: databaseUrl, useListenNotify: true });
    boss.on('error', () => {});
    await boss.start();
    await boss.work(
      QUEUE,
      {
        batchSize: BATCH,
        localConcurrency: Math.ceil(concurrency / BATCH),
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 0.5,
        notifyPollingIntervalSeconds: 0.5,
        includeMetadata: true,
        perJobResults: true,
      },
      (jobs: readonly Job[]) =>
        Promise.all(
          jobs.map(({ id, data, retryCount }) =>
            insert(data, retryCount > 0).then(
              () => ({ id, status: 'completed' }),
              ({ message }: Error) => ({ id, status: 'failed', output: { message } }),
            ),
          ),
        ),
    );
    return () => boss.stop({ graceful: true });
  },
};
