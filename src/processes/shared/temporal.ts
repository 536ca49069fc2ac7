/** Temporal's client in a gateway or a worker, and the workflows that both start. */
import type { Config } from '../../config/index.ts';
import type { Database } from '../../database/index.ts';
import type { Tracing } from '../../observability/tracing.ts';
import { createClient, identityOf, registerSearchAttributes } from '../../temporal/connection.ts';
import { createImportWorkflows, createWebhookWorkflows } from '../../temporal/import-workflows.ts';
import { createInsertWorkflows } from '../../temporal/insert-workflows.ts';
import { createFindConflictingRuns, createStartInsert } from '../../temporal/start-insert.ts';

/** @param onRefused gets the reason if search attributes cannot be registered; workflows then start without them */
export function openTemporal(
  role: 'gateway' | 'worker',
  { temporal, worker }: Config,
  { submissions, insertRuns }: Pick<Database, 'submissions' | 'insertRuns'>,
  tracing: Tracing,
  onRefused: (reason: string) => void,
) {
  const identity = identityOf(role, worker.machine);
  const { client, connection } = createClient(temporal, { identity, ...tracing.client });
  const attributes = registerSearchAttributes(connection, temporal.namespace, onRefused);
  const insertWorkflows = createInsertWorkflows(client, attributes);
  const findConflictingRuns = createFindConflictingRuns(insertWorkflows, submissions);
  return {
    client,
    connection,
    insertWorkflows,
    findConflictingRuns,
    startInsert: createStartInsert(insertWorkflows, findConflictingRuns, insertRuns),
    importWorkflows: createImportWorkflows(client, attributes),
    webhookWorkflows: createWebhookWorkflows(client, attributes),
  };
}
