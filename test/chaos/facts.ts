/** The facts at the end, from all sources: records, files, regulator, mails, Temporal. */
import { relative } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client, Connection } from '@temporalio/client';
import { readInt8AsNumber } from '../../src/database/connections.ts';
import type { SimulatedCase } from '../../src/trial-parts/regulator-simulator/state.ts';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { filesBelow } from '../support/files-below.ts';
import { FILLER } from '../support/small-disk.ts';
import type { World } from '../support/starters/world.ts';
import type { Upload } from './clients.ts';

export interface ImportRow {
  id: number;
  uuid: string;
  client_id: string;
  status: string;
  failure_reason: string | null;
  is_over: boolean;
  /** Null when its failure has freed its key. */
  key: string | null;
  /** Address of the summary; null without one. */
  mail: string | null;
}

export interface SubmissionRow {
  id: number;
  uuid: string;
  product_id: string;
  status: string;
  case_id: string | null;
  /** Number of set flags, of six. */
  flags: number;
  /** Number of insert events in the audit trail. */
  inserted_events: number;
}

export interface Facts {
  uploads: Upload[];
  imports: ImportRow[];
  submissions: SubmissionRow[];
  cases: SimulatedCase[];
  mails: { importId: number; messageId: string }[];
  /** Keys of the files in the archive, and of the files in the records. */
  stored: string[];
  recorded: string[];
  /** Incomplete files. */
  halves: string[];
  /** Rows without any reference, in words. */
  orphans: string[];
  /** Held leases and locks, in words. */
  leases: string[];
  /** Workflow ids of imports, batches, inserts and checks that have not ended. */
  openRuns: string[];
}

export type Observed = Omit<Facts, 'uploads'>;

export interface Observer {
  sql<T>(statement: string): Promise<T[]>;
  temporal: Client;
  observe(): Promise<Observed>;
  close(): Promise<void>;
}

const IMPORTS = `select i.id, i.uuid, i.client_id, i.status, i.failure_reason, i.completed_at is not null as is_over, k.key, n.status as mail
  from zip_import i left join idempotency_key k on k.zip_import_id = i.id left join notification n on n.zip_import_id = i.id
  order by i.id`;
const SUBMISSIONS = `select s.id, s.uuid, s.product_id, s.status, s.case_id,
    s.init_validate::int + s.product_details::int + s.product_presentation::int + s.design::int + s.ingredients::int
      + s.emission::int as flags,
    (select count(*)::int from audit_event a where a.submission_id = s.id and a.action = 'submission.regulator_inserted') as inserted_events
  from submission s order by s.id`;
const RECORDED = `select storage_key as key from zip_import where archive_removed_at is null
  union select storage_key from attachment`;
const ORPHANS = `select 'attachment ' || a.id || ' of import ' || a.zip_import_id || ', to which no submission refers' as orphan
    from attachment a where not exists (select from submission_attachment l where l.attachment_row_id = a.id)
  union all select 'submission ' || s.id || ' without a queue result' from submission s
    where not exists (select from queue_result q where q.submission_id = s.id)
  union all select 'submission ' || s.id || ' of import ' || i.id || ', which failed' from submission s
    join zip_import i on i.id = s.zip_import_id where i.status = 'failed'
  union all select 'submission ' || l.submission_id || ' refers to attachment ' || l.attachment_row_id || ', which was not sent'
    from submission_attachment l where l.attachment_row_id is not null
    group by l.submission_id, l.attachment_row_id having count(l.sent_at) = 0`;
const LEASES = `select kind || ' ' || slot || ' of ' || client_id as lease from client_slot where expires_at > clock_timestamp()
  union all select 'regulator slot ' || slot from regulator_slot where expires_at > clock_timestamp()
  union all select 'advisory lock of ' || pid from pg_locks where locktype = 'advisory'
  union all select 'transaction of ' || pid || ': ' || left(query, 80) from pg_stat_activity
    where state like 'idle in transaction%' and state_change < clock_timestamp() - interval '1 second'
  union all select 'prepared transaction ' || gid from pg_prepared_xacts`;
const RUNS = ['packageImport', 'packageImportBatch', 'regulatorInsert', 'packageCheck'] as const;

export async function openObserver(world: World): Promise<Observer> {
  const { config, archiveDirectory } = world;
  const orm = await MikroORM.init({
    clientUrl: config.database.url,
    driverOptions: { onPoolCreated: readInt8AsNumber },
    discovery: { warnWhenNoEntities: false },
    entities: [],
  });
  const connection = await Connection.connect({ address: config.temporal.address });
  const temporal = new Client({ connection, namespace: config.temporal.namespace });
  const sql = async <T>(statement: string) => (await orm.em.getConnection().execute(statement)) as T[];

  async function observe(): Promise<Observed> {
    const files = (await filesBelow(archiveDirectory))
      .map((path) => relative(archiveDirectory, path))
      .filter((path) => path !== FILLER);
    const texts = async (statement: string) =>
      (await sql<Record<string, string>>(statement)).map((row) => Object.values(row)[0] ?? '');
    return {
      imports: await sql<ImportRow>(IMPORTS),
      submissions: await sql<SubmissionRow>(SUBMISSIONS),
      cases: world.simulator.simulation.state.cases,
      mails: (await world.mailbox.store.list()).flatMap(({ subject, messageId }) => {
        const importId = /^Package import (\d+):/.exec(subject)?.[1];
        return importId === undefined ? [] : [{ importId: Number(importId), messageId }];
      }),
      stored: files.filter((path) => !isHalf(path)),
      recorded: await texts(RECORDED),
      halves: files.filter(isHalf),
      orphans: await texts(ORPHANS),
      leases: await texts(LEASES),
      openRuns: await openRuns(temporal),
    };
  }

  return {
    sql,
    temporal,
    observe,
    async close() {
      await connection.close();
      await orm.close(true);
    },
  };
}

async function openRuns(temporal: Client): Promise<string[]> {
  const types = RUNS.map((name) => `'${WORKFLOW_TYPES[name]}'`).join(', ');
  const query = `ExecutionStatus = 'Running' and WorkflowType in (${types})`;
  const ids: string[] = [];
  for await (const { workflowId } of temporal.workflow.list({ query })) ids.push(workflowId);
  return ids;
}

/** Whether the file is being written, or was never finished. */
function isHalf(path: string): boolean {
  return path.startsWith('.incoming/') || path.startsWith('attachments/incoming/');
}
