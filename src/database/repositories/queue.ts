/** Records of queuing: the submissions to start, the queue result of each, and the progress of the inserts. */
import { sql } from 'kysely';
import { QUEUE_STATUS, type SubmissionStatus } from '../../contract/statuses.ts';
import { BATCH_SIZE } from '../../domain/package-import.ts';
import type { QueueResult } from '../../domain/queue.ts';
import { QueueResultEntity } from '../entities/queue-result.ts';
import type { Orm } from '../orm.ts';
import { insertRows, statements } from '../statements.ts';
import { auditOfMoved } from '../status-moves.ts';

/** A submission of a batch, for the workflow that starts the inserts. */
export interface BatchItem {
  submissionId: number;
  productId: string;
  status: SubmissionStatus;
  hasResult: boolean;
  /** The last run of the submission. */
  jobId: string | null;
}

export interface InsertProgress {
  inserted: number;
  failed: number;
  inserting: number;
  /** Not queued: refused with 409, not started, or not tried yet. */
  local: number;
  /** Submissions without a queue result. */
  unqueued: number;
}

/**
 * Condition on the failed submission `s`: the run `r` has neither begun nor ended. Each of its moves is in the audit
 * trail, also if the submission has another run since. A move that commits at this moment is visible in the row only.
 */
const HAS_NOT_BEGUN = sql`s.job_id is distinct from r.job_id and not exists (
  select from audit_event e where e.submission_id = s.id and e.detail ->> 'job_id' = r.job_id::text)`;

export function createQueueRepository(orm: Orm) {
  const db = statements(orm.em.fork());

  return {
    /** Batch `batch` (from 1) of an import's submissions, in archive order. */
    async batch(importId: number, batch: number): Promise<BatchItem[]> {
      return db.rows`
        select s.id as submission_id, s.product_id, s.status, s.job_id, q.submission_id is not null as has_result
          from submission s left join queue_result q on q.submission_id = s.id
         where s.zip_import_id = ${importId}
         order by s.entry_index limit ${BATCH_SIZE} offset ${(batch - 1) * BATCH_SIZE}
      `;
    },

    /**
     * Stores new results and moves the queued submissions to `regulator_inserting`: also those that failed before,
     * which a reset import starts again. An existing result is kept. A run that has begun or ended meanwhile is not
     * changed.
     */
    async recordResults(importId: number, results: QueueResult[], actor: string): Promise<void> {
      if (results.length === 0) return;
      const now = new Date();
      await orm.em.fork().transactional(async (em) => {
        const rows = results.map(({ submissionId, ...result }) => ({
          ...result,
          submission: submissionId,
          packageImport: importId,
          createdAt: now,
        }));
        await insertRows(em, QueueResultEntity, rows, sql`on conflict (submission_id) do nothing`);
        const started = results
          .filter(({ status }) => status === QUEUE_STATUS.queued)
          .map(({ submissionId, jobId }) => ({ id: submissionId, job_id: jobId }));
        await statements(em).run`
          with locked as (
            select s.id, s.status, r.job_id
              from jsonb_to_recordset(${JSON.stringify(started)}::jsonb) as r(id bigint, job_id uuid)
              join submission s on s.id = r.id
             where s.status = 'local' or (s.status = 'regulator_insert_failed' and ${HAS_NOT_BEGUN})
               for no key update of s
          ), moved as (
            update submission s
               set status = 'regulator_inserting', job_id = locked.job_id, current_step = null, failure_reason = null,
                   failure_code = null, updated_at = ${now}
              from locked
             where s.id = locked.id
            returning s.id, s.zip_import_id, s.job_id, locked.status as previous_status
          )
          ${auditOfMoved({ actor, from: sql.ref<SubmissionStatus>('previous_status'), to: 'regulator_inserting', jobId: sql.ref<string>('job_id') })}
        `;
      });
    },

    /** Progress of the inserts of an import, or of one batch. */
    async progress(importId: number, batch?: number): Promise<InsertProgress> {
      const [most, before] = batch === undefined ? [null, 0] : [BATCH_SIZE, (batch - 1) * BATCH_SIZE];
      const rows = await db.rows<{ status: SubmissionStatus; n: number; unqueued: number }>`
        select status, count(*)::int as n, (count(*) filter (where not has_result))::int as unqueued
          from (
            select s.status, q.submission_id is not null as has_result
              from submission s left join queue_result q on q.submission_id = s.id
             where s.zip_import_id = ${importId} order by s.entry_index limit ${most} offset ${before}
          ) as batch
         group by status
      `;
      const of = (status: SubmissionStatus) => rows.find((row) => row.status === status)?.n ?? 0;
      return {
        unqueued: rows.reduce((sum, row) => sum + row.unqueued, 0),
        inserted: of('regulator_inserted'),
        failed: of('regulator_insert_failed'),
        inserting: of('regulator_inserting'),
        local: of('local'),
      };
    },

    /** Submissions of an import with a running insert, at most `limit`. */
    async inserting(importId: number, limit: number): Promise<{ productId: string; runId: string }[]> {
      return db.rows`
        select product_id, job_id as run_id from submission
         where zip_import_id = ${importId} and status = 'regulator_inserting'
         order by entry_index limit ${limit}
      `;
    },

    /** Submissions of an import without a queue result. */
    async unqueuedSubmissions(importId: number): Promise<Pick<BatchItem, 'submissionId' | 'jobId'>[]> {
      return db.rows`
        select s.id as submission_id, s.job_id
          from submission s left join queue_result q on q.submission_id = s.id
         where s.zip_import_id = ${importId} and q.submission_id is null order by s.entry_index
      `;
    },
  };
}
