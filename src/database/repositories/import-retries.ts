/**
 * Retries of imports (decision §retries-are-recorded). A retry first records its submissions, then each result.
 * Only the last retry of an import is kept, so that the number of rows stays bounded. Its transactions lock the retry
 * before its results: otherwise two of them may deadlock.
 */
import type { QueueResult } from '../../domain/queue.ts';
import { ImportRetry, type ImportRetryRow } from '../entities/queue-result.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';
import { audit } from './audit-trail.ts';
import { beginRetry, giveUpRetryOf, type RetryRequest } from './begin-retry.ts';

/** A submission of a retry. */
export interface ToRetry {
  submissionId: number;
  productId: string;
  /** Whether an earlier attempt may have started it without recording the result. */
  tried: boolean;
}

/** Progress of a retry: products by the result of their start. */
export interface RetryCounts {
  queued: number;
  failed: number;
  /** Not tried yet. */
  pending: number;
}

/** Result of a submission, with its product. */
export type RetriedResult = QueueResult & { productId: string };

export function createImportRetryRepository(orm: Orm) {
  const db = statements(orm.em.fork());

  return {
    /** As `beginRetry`. Concurrent requests wait for each other. */
    begin: (request: RetryRequest) => orm.em.fork().transactional((em) => beginRetry(em, request)),

    last: (importId: number) => orm.em.fork().findOne(ImportRetry, { packageImport: importId }),

    /** The retry with this uuid; null if there is none, or a later one of its import has replaced it. */
    find: (uuid: string) => orm.em.fork().findOne(ImportRetry, { uuid }),

    /** The open retry with this uuid; null after its end. */
    open: (uuid: string) => orm.em.fork().findOne(ImportRetry, { uuid, endedAt: null }),

    /** Open retries that are older than `olderThanMs`, of imports after the id `after`, in order of the import. */
    async openSince(olderThanMs: number, after: number, limit: number): Promise<ImportRetryRow[]> {
      const requestedAt = { $lt: new Date(Date.now() - olderThanMs) };
      const where = { endedAt: null, requestedAt, packageImport: { $gt: after } };
      return orm.em.fork().find(ImportRetry, where, { orderBy: { packageImport: 'asc' }, limit });
    },

    /** Takes the next submissions without a result, in archive order, and marks them as tried. */
    take(uuid: string, limit: number): Promise<ToRetry[]> {
      return db.rows`
        with next as (
          select s.id as submission_id, s.product_id, s.entry_index, r.tried_at is not null as tried
            from import_retry t join retry_result r on r.zip_import_id = t.zip_import_id
            join submission s on s.id = r.submission_id
           where t.uuid = ${uuid} and t.ended_at is null and r.status is null
           order by s.entry_index limit ${limit} for no key update of t
        ), marked as (
          update retry_result r set tried_at = now() from next
           where r.submission_id = next.submission_id and r.tried_at is null
        )
        select submission_id, product_id, tried from next order by entry_index
      `;
    },

    /**
     * Records results. A result overwrites a give-up that was written during the start, because the insert has started.
     */
    async recordResults(uuid: string, results: readonly QueueResult[]): Promise<void> {
      await db.run`
        with retry as (select zip_import_id from import_retry where uuid = ${uuid} for no key update)
        update retry_result r
           set status = n.status, message = n.message, job_id = n."jobId", job_state = n."jobState"
          from retry,
               jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
                 as n("submissionId" bigint, status smallint, message text, "jobId" uuid, "jobState" text)
         where r.zip_import_id = retry.zip_import_id and r.submission_id = n."submissionId"
      `;
    },

    /** Progress of the retry. */
    async counts(importId: number): Promise<RetryCounts> {
      const row = await db.row<RetryCounts>`
        select count(*) filter (where r.status = 202)::int as queued,
               count(*) filter (where r.status <> 202)::int as failed,
               count(*) filter (where r.status is null)::int as pending
          from retry_result r where r.zip_import_id = ${importId}
      `;
      return row ?? { queued: 0, failed: 0, pending: 0 };
    },

    /**
     * Results in archive order, after the submission `after`, up to the first submission without a result: a client that
     * follows the pages misses none.
     */
    async results(importId: number, page: { after: number; limit: number }): Promise<RetriedResult[]> {
      return db.rows`
        select r.submission_id, s.product_id, r.status, r.message, r.job_id, r.job_state
          from retry_result r join submission s on s.id = r.submission_id
         where r.zip_import_id = ${importId} and r.status is not null
           and s.entry_index > coalesce((
             select entry_index from submission where id = ${page.after} and zip_import_id = ${importId}), -1)
           and s.entry_index < coalesce((
             select min(open.entry_index) from retry_result o join submission open on open.id = o.submission_id
              where o.zip_import_id = ${importId} and o.status is null), s.entry_index + 1)
         order by s.entry_index limit ${page.limit}
      `;
    },

    /** Ends a retry in which every submission has its result. */
    async end(uuid: string): Promise<void> {
      await orm.em.fork().nativeUpdate(ImportRetry, { uuid, endedAt: null }, { endedAt: new Date() });
    },

    /**
     * Ends a retry without its remaining submissions, unless it has ended or there is none.
     *
     * @param reason in whole sentences
     */
    async giveUp(uuid: string, reason: string, actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        const importId = (await em.findOne(ImportRetry, { uuid }))?.packageImport;
        if (importId === undefined || !(await giveUpRetryOf(em, importId, reason, { uuid }))) return;
        await audit(em, { actor, action: 'import.retry_given_up', importId, detail: { reason } });
      });
    },
  };
}
