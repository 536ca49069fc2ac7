/** Connections and clients that all workers of a process share. */
import { createReadingBudgets } from '../../common/reading-budget.ts';
import type { Config } from '../../config/index.ts';
import type { Database } from '../../database/index.ts';
import { createMailer } from '../../notifications/mail/mailer.ts';
import { connectClient, identityOf, registerSearchAttributes } from '../../temporal/connection.ts';
import { createImportWorkflows, createRetryWorkflows } from '../../temporal/import-workflows.ts';
import { createInsertWorkflows } from '../../temporal/insert-workflows.ts';
import { createLookAtRunsInTheWay, createStartInsert } from '../../temporal/start-insert.ts';
import type { ObservedWorkers } from '../shared/observability.ts';
import { createRegulator, createSessions, openStorage } from '../shared/parts.ts';

export type SharedParts = Awaited<ReturnType<typeof openSharedParts>>;

/** Connects the client to Temporal and opens the other parts. `close` closes the database as well. */
export async function openSharedParts(
  config: Config,
  database: Database,
  { tracing, send, measureMails }: ObservedWorkers,
) {
  const { client, connection } = await connectClient(config.temporal, {
    identity: identityOf('worker', config.worker.machine),
    ...tracing.client,
  });
  // A refusal is ignored here, because the gateway logs it. Workflows then start without search attributes.
  const attributes = await registerSearchAttributes(connection, config.temporal.namespace, () => {});
  const insertWorkflows = createInsertWorkflows(client, attributes);
  const lookAtRunsInTheWay = createLookAtRunsInTheWay(insertWorkflows, database.submissions);
  const mailer = measureMails(createMailer(config.mail));
  return {
    database,
    storage: await openStorage(config),
    /** Shared by all workers of the process. */
    readingBudgets: createReadingBudgets(config.readingMemoryBytes),
    readingSliceMs: config.worker.readingSliceMs,
    sessions: createSessions(config, database, send),
    mailer,
    regulator: createRegulator(config, database, send),
    client,
    insertWorkflows,
    lookAtRunsInTheWay,
    startInsert: createStartInsert(insertWorkflows, lookAtRunsInTheWay, database.insertRuns),
    importWorkflows: createImportWorkflows(client, attributes),
    retryWorkflows: createRetryWorkflows(client, attributes),
    async pingTemporal() {
      await connection.workflowService.getSystemInfo({});
    },
    async close() {
      mailer.close();
      await connection.close();
      await database.close();
    },
  };
}
