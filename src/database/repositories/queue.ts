/** Queuing submissions as inserts: which to start, the one result that each gets, and how far they are. */
import { QUEUE_STATUS, type SubmissionStatus } from '../../contract/statuses.ts';
import type { QueueResult } from '../../domain/queue.ts';
import { type AuditEntry, audit } from '../audit.ts';
import { QueueResultEntity } from '../entities/queue-result.ts';
import { insertRows } from '../insert-rows.ts';
import type { Orm } from '../orm.ts';
import type { Tables } from '../tables.ts';

/** A submission of a batch, as the workflow that starts the inserts sees it. */
export interface BatchItem {
  submissionId: number;
  productId: string;
  status: SubmissionStatus;
  hasResult: boolean;
  /** The run that works, or has worked, on it. */
  jobId: string | null;
}

export interface InsertProgress {
  inserted: number;
  failed: number;
  /** Queued and not ended yet. */
  inserting: number;
  /** Not queued: refused with 409, not started, or not tried yet. */
  local: number;
  /** Without a queue result so far. */
  unqueued: number;
}

export function createQueueRepository(orm: Orm) {
  return {
    /** Batch `batch` (from 1) of an import's submissions, in archive order. */
    async batch(importId: number, batch: number, size: number): Promise<BatchItem[]> {
      const rows = await orm.em
        .fork()
        .getKysely<Tables>()
        .selectFrom('submission as s')
        .leftJoin('queue_result as q', 'q.submission_id', 's.id')
        .select([
          's.id as submissionId',
          's.product_id as productId',
          's.status',
          's.job_id as jobId',
          'q.status as result',
        ])
        .where('s.zip_import_id', '=', importId)
        .orderBy('s.entry_index')
        .limit(size)
        .offset((batch - 1) * size)
        .execute();
      return rows.map(({ result, ...row }) => ({ ...row, hasResult: result !== null }));
    },

    /**
     * Stores the results that are new and moves the queued submissions to `regulator_inserting`. A result
     * that is there already stays as it is; a run that has begun or ended meanwhile is left alone.
     */
    async recordResults(importId: number, results: QueueResult[], actor: string): Promise<void> {
      if (results.length === 0) return;
      const now = new Date();
      await orm.em.fork().transactional(async (em) => {
        const rows = results.map((result) => ({
          submission: result.submissionId,
          packageImport: importId,
          status: result.status,
          message: result.message,
          jobId: result.jobId,
          jobState: result.jobState,
          createdAt: now,
        }));
        await insertRows(em, QueueResultEntity, rows, 'on conflict (submission_id) do nothing');
        const queuedJobs = results.filter((result) => result.status === QUEUE_STATUS.queued);
        const moved = await em.execute<{ id: number; job_id: string }[]>(
          `update submission s set status = 'regulator_inserting', job_id = r.job_id, failure_reason = null, updated_at = ?
             from jsonb_to_recordset(?::jsonb) as r(id bigint, job_id uuid)
            where s.id = r.id and s.status = 'local' returning s.id, s.job_id`,
          [
            now,
            JSON.stringify(
              queuedJobs.map(({ submissionId, jobId }) => ({ id: submissionId, job_id: jobId })),
            ),
          ],
        );
        await audit(
          em,
          moved.map((row) => queuedEntry(row, importId, actor)),
        );
      });
    },

    /** How far the inserts of an import are; of one batch where `batch` is given. */
    async progress(importId: number, batch?: { number: number; size: number }): Promise<InsertProgress> {
      const rows = await orm.em.fork().execute<{ status: SubmissionStatus; n: number; unqueued: number }[]>(
        `select status, count(*)::int as n, count(*) filter (where not has_result)::int as unqueued from (
           select s.status, q.submission_id is not null as has_result
             from submission s left join queue_result q on q.submission_id = s.id
            where s.zip_import_id = ? order by s.entry_index limit ? offset ?
         ) as batch group by status`,
        [importId, batch ? batch.size : null, batch ? (batch.number - 1) * batch.size : 0],
      );
      const of = (status: SubmissionStatus) => rows.find((row) => row.status === status)?.n ?? 0;
      return {
        unqueued: rows.reduce((sum, row) => sum + row.unqueued, 0),
        inserted: of('regulator_inserted'),
        failed: of('regulator_insert_failed'),
        inserting: of('regulator_inserting'),
        local: of('local'),
      };
    },

    /** How many submissions of an import were queued, and how many were not. */
    async counts(importId: number): Promise<{ queued: number; refused: number }> {
      const em = orm.em.fork();
      const [queued, all] = await Promise.all([
        em.count(QueueResultEntity, { packageImport: importId, status: QUEUE_STATUS.queued }),
        em.count(QueueResultEntity, { packageImport: importId }),
      ]);
      return { queued, refused: all - queued };
    },

    /** Submissions of an import that are being inserted by a run, at most `limit`. */
    async inserting(importId: number, limit: number): Promise<{ productId: string; runId: string }[]> {
      return orm.em.fork().execute(
        `select product_id as "productId", job_id as "runId" from submission
          where zip_import_id = ? and status = 'regulator_inserting' and job_id is not null
          order by entry_index limit ?`,
        [importId, limit],
      );
    },

    /** Submissions of an import that have no queue result. */
    async unqueuedSubmissions(importId: number): Promise<number[]> {
      const rows = await orm.em.fork().execute<{ id: number }[]>(
        `select s.id from submission s left join queue_result q on q.submission_id = s.id
          where s.zip_import_id = ? and q.submission_id is null order by s.entry_index`,
        [importId],
      );
      return rows.map((row) => row.id);
    },
  };
}

function queuedEntry(row: { id: number; job_id: string }, importId: number, actor: string): AuditEntry {
  return {
    actor,
    action: 'submission.regulator_inserting',
    importId,
    submissionId: row.id,
    detail: { from: 'local', job_id: row.job_id },
  };
}
