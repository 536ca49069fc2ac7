/** A worker of one of the queues: a process of its own, with the heap that the service's has. */

import { MikroORM } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { QUEUES } from './kinds.ts';
import { createInsertProduct, type Query } from './product-job.ts';
import type { QueueSettings } from './queue.ts';

export interface QueueWorkerSettings extends QueueSettings {
  queue: string;
  regulatorUrl: string;
  token: string;
  /** Connections to the database, for the statements of the jobs. */
  poolSize: number;
}

const settings = JSON.parse(process.argv[2] ?? '') as QueueWorkerSettings;
const kind = QUEUES.find(({ name }) => name === settings.queue);
if (!kind) throw new Error(`there is no queue ${settings.queue}`);

// The driver that the service has, prepared statements included.
const orm = await MikroORM.init({
  clientUrl: settings.databaseUrl,
  discovery: { warnWhenNoEntities: false },
  entities: [],
  pool: { min: 0, max: settings.poolSize },
});
const query: Query = async <Row>(statement: string, values: readonly unknown[]) =>
  (
    await orm.em
      .fork()
      .getKysely()
      .executeQuery<Row>(CompiledQuery.raw(statement, [...values]))
  ).rows;

const stop = await kind.startWorker(settings, createInsertProduct(settings, query));
process.once('disconnect', () => {
  void stop()
    .then(() => orm.close(true))
    .then(() => process.exit(0));
});
process.send?.('ready');
