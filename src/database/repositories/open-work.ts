/** Open work: the records that the reconciler checks (decision §the-reconciler), and numbers for metrics. */
import { sql } from 'kysely';
import { type WorkFigures, zeroStatusCounts } from '../../domain/submission.ts';
import type { Orm } from '../orm.ts';

export interface InsertingSubmission {
  submissionId: number;
  importId: number;
  productId: string;
  jobId: string;
}

export interface OpenImport {
  importId: number;
  importUuid: string;
  clientId: string;
  /** Whether its cancellation was requested. */
  cancelRequested: boolean;
}

export function createReconciliationRepository(orm: Orm) {
  const database = () => orm.em.fork().getKysely();
  const ago = (ms: number) => sql`now() - ${ms} * interval '1 millisecond'`;

  return {
    /** Submissions that have been inserting for longer than `olderThanMs`, after the id `after`, in order of id. */
    async inserting(olderThanMs: number, after: number, limit: number): Promise<InsertingSubmission[]> {
      const { rows } = await sql<InsertingSubmission>`
        select id as "submissionId", zip_import_id as "importId", product_id as "productId", job_id as "jobId"
          from submission
         where status = 'regulator_inserting' and updated_at < ${ago(olderThanMs)} and id > ${after}
         order by id limit ${limit}
      `.execute(database());
      return rows;
    },

    /** Open imports that were uploaded longer than `olderThanMs` ago, after the id `after`, in order of id. */
    async openImports(olderThanMs: number, after: number, limit: number): Promise<OpenImport[]> {
      const { rows } = await sql<OpenImport>`
        select id as "importId", uuid as "importUuid", client_id as "clientId",
               cancel_requested_at is not null as "cancelRequested"
          from zip_import
         where completed_at is null and uploaded_at < ${ago(olderThanMs)} and id > ${after}
         order by id limit ${limit}
      `.execute(database());
      return rows;
    },
  };
}

/** Numbers of open work. Each is read from an index of open records. */
export function createWorkFigureRepository(orm: Orm) {
  const database = () => orm.em.fork().getKysely();

  return {
    async read(): Promise<WorkFigures> {
      const { rows } = await sql<WorkFigures>`
        select
          (select count(*)::int from zip_import where completed_at is null) as "unfinishedImports",
          (select coalesce(extract(epoch from clock_timestamp() - min(uploaded_at)), 0)::float8
             from zip_import where completed_at is null) as "oldestUnfinishedS",
          (select count(*)::int from regulator_slot
            where slot > 0 and expires_at > clock_timestamp()) as "regulatorSlots",
          (select coalesce(jsonb_object_agg(status, count), '{}')
             from (select s.status, count(*) from zip_import i join submission s on s.zip_import_id = i.id
                    where i.completed_at is null group by s.status) counted) as submissions
      `.execute(database());
      const [figures] = rows;
      if (!figures) throw new Error('The database returned no figures');
      return { ...figures, submissions: { ...zeroStatusCounts(), ...figures.submissions } };
    },

    /**
     * Bytes of the stored ZIPs and attachments. An attachment of several tenants counts for each of them. It reads an
     * index entry per ZIP: too expensive for every scrape.
     */
    async stored(): Promise<{ bytes: number }> {
      const { rows } = await sql<{ bytes: number }>`
        select coalesce(sum(size_bytes + attachment_bytes), 0)::float8 as bytes
          from zip_import where archive_removed_at is null
      `.execute(database());
      return { bytes: rows[0]?.bytes ?? 0 };
    },
  };
}
