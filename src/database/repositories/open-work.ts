/** Open work: the records that the reconciler checks (decision §the-reconciler), and numbers for metrics. */
import { sql } from 'kysely';
import { type WorkFigures, zeroStatusCounts } from '../../domain/submission.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';

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
  const db = statements(orm.em.fork());
  const ago = (ms: number) => sql`now() - ${ms} * interval '1 millisecond'`;

  return {
    /** Submissions that have been inserting for longer than `olderThanMs`, after the id `after`, in order of id. */
    async inserting(olderThanMs: number, after: number, limit: number): Promise<InsertingSubmission[]> {
      return db.rows`
        select id as submission_id, zip_import_id as import_id, product_id, job_id
          from submission
         where status = 'regulator_inserting' and updated_at < ${ago(olderThanMs)} and id > ${after}
         order by id limit ${limit}
      `;
    },

    /** Open imports that were uploaded longer than `olderThanMs` ago, after the id `after`, in order of id. */
    async openImports(olderThanMs: number, after: number, limit: number): Promise<OpenImport[]> {
      return db.rows`
        select id as import_id, uuid as import_uuid, client_id, cancel_requested_at is not null as cancel_requested
          from zip_import
         where completed_at is null and uploaded_at < ${ago(olderThanMs)} and id > ${after}
         order by id limit ${limit}
      `;
    },
  };
}

/** Numbers of open work. Each is read from an index of open records. */
export function createWorkFigureRepository(orm: Orm) {
  const db = statements(orm.em.fork());

  return {
    async read(): Promise<WorkFigures> {
      const figures = await db.row<WorkFigures>`
        select
          (select count(*)::int from zip_import where completed_at is null) as unfinished_imports,
          (select coalesce(extract(epoch from clock_timestamp() - min(uploaded_at)), 0)::float8
             from zip_import where completed_at is null) as oldest_unfinished_s,
          (select count(*)::int from regulator_slot
            where slot > 0 and expires_at > clock_timestamp()) as regulator_slots,
          (select coalesce(jsonb_object_agg(status, count), '{}')
             from (select s.status, count(*) from zip_import i join submission s on s.zip_import_id = i.id
                    where i.completed_at is null group by s.status) counted) as submissions
      `;
      if (!figures) throw new Error('The database returned no figures');
      return { ...figures, submissions: { ...zeroStatusCounts(), ...figures.submissions } };
    },

    /**
     * Bytes of the stored ZIPs and attachments. An attachment of several tenants counts for each of them. It reads an
     * index entry per ZIP: too expensive for every scrape.
     */
    async stored(): Promise<{ bytes: number }> {
      const row = await db.row<{ bytes: number }>`
        select coalesce(sum(size_bytes + attachment_bytes), 0)::float8 as bytes
          from zip_import where archive_removed_at is null
      `;
      return { bytes: row?.bytes ?? 0 };
    },
  };
}
