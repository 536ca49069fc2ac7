/**
 * Retries of imports (decision §retries-are-recorded). A retry first records its submissions, then each result.
 * Only the last retry of an import is kept, so that the number of rows stays bounded.
 */
import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SubmissionStatus } from '../../contract/statuses.ts';
import { clientActor } from '../../domain/actors.ts';
import type { QueueResult } from '../../domain/queue.ts';
import { statusesBefore } from '../../domain/submission.ts';
import type { Submitters } from '../../domain/submitters.ts';
import { audit } from '../audit.ts';
import { ImportRetry, type ImportRetryRow } from '../entities/import-retry.ts';
import { giveUpRetryOf } from '../give-up-retry.ts';
import type { Orm } from '../orm.ts';
import { query } from '../query.ts';
import { isSuperseded } from '../superseded.ts';

export interface RetryRequest {
  importId: number;
  clientId: string;
  /** Actor of the request; by default the client. */
  actor?: string;
  /** Submitters whose products the client may run; null for all. */
  submitters: Submitters;
}

/** A submission of a retry. */
export interface ToRetry {
  submissionId: number;
  productId: string;
  status: SubmissionStatus;
  /** The last run of the submission. */
  jobId: string | null;
  /** Whether an earlier try may have started it without recording the result. */
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

/** Submitters whose results are visible; null for all. */
export interface RetryView {
  importId: number;
  submitters: Submitters;
}

export function createImportRetryRepository(orm: Orm) {
  return {
    /**
     * Begins a retry with every submission that can be run again. An open retry is joined. An ended retry is joined
     * while its inserts run and nothing else can be run. Concurrent requests wait for each other.
     *
     * @returns null when nothing can be run
     */
    async begin(request: RetryRequest): Promise<ImportRetryRow | null> {
      return orm.em.fork().transactional(async (em) => {
        const { importId } = request;
        await em.execute('select id from zip_import where id = ? for update', [importId]);
        const last = await em.findOne(ImportRetry, { packageImport: importId });
        // The end is recorded a moment after the last result: a client that saw all results may request another retry
        // before.
        if (last?.endedAt === null && (await isUnderWay(em, importId))) return last;
        const left = await leftOf(em, request);
        if (left.length === 0) return last && (await isBeingInserted(em, importId)) ? last : null;
        return record(em, request, left);
      });
    },

    async last(importId: number): Promise<ImportRetryRow | null> {
      return orm.em.fork().findOne(ImportRetry, { packageImport: importId });
    },

    /** The open retry with this uuid; null after its end. */
    async open(uuid: string): Promise<ImportRetryRow | null> {
      return orm.em.fork().findOne(ImportRetry, { uuid, endedAt: null });
    },

    /** Open retries that are older than `olderThanMs`, oldest first. */
    async openSince(olderThanMs: number, limit: number): Promise<ImportRetryRow[]> {
      const requestedAt = { $lt: new Date(Date.now() - olderThanMs) };
      return orm.em
        .fork()
        .find(ImportRetry, { endedAt: null, requestedAt }, { orderBy: { requestedAt: 'asc' }, limit });
    },

    /** Takes the next submissions without a result, in archive order, and marks them as tried. */
    async take(uuid: string, limit: number): Promise<ToRetry[]> {
      return orm.em.fork().transactional(async (em) => {
        const next = await query<ToRetry>(em, NEXT, [uuid, limit]);
        await query(em, TAKE, [next.map(({ submissionId }) => submissionId)]);
        return next;
      });
    },

    async recordResults(uuid: string, results: readonly QueueResult[]): Promise<void> {
      await query(orm, RECORD, [uuid, JSON.stringify(results)]);
    },

    /** Progress of the retry. */
    async counts({ importId, submitters }: RetryView): Promise<RetryCounts> {
      const [row] = await query<RetryCounts>(orm, COUNTS, [importId, listed(submitters)]);
      return row ?? { queued: 0, failed: 0, pending: 0 };
    },

    /** Results in archive order, after the submission `after`. */
    async results(
      { importId, submitters }: RetryView,
      page: { after: number; limit: number },
    ): Promise<RetriedResult[]> {
      return query(orm, RESULTS, [importId, listed(submitters), page.after, page.limit]);
    },

    /** Ends a retry in which every submission has its result. */
    async end(uuid: string): Promise<void> {
      await orm.em.fork().nativeUpdate(ImportRetry, { uuid, endedAt: null }, { endedAt: new Date() });
    },

    /**
     * Ends a retry without its remaining submissions.
     *
     * @param reason in whole sentences
     */
    async giveUp(importId: number, uuid: string, reason: string, actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        if ((await em.count(ImportRetry, { uuid, endedAt: null })) === 0) return;
        await giveUpRetryOf(em, importId, reason);
        await audit(em, [{ actor, action: 'import.retry_given_up', importId, detail: { reason } }]);
      });
    },
  };
}

/** Submissions that can be run, by the same rule as a submission's `actions`. */
async function leftOf(em: EntityManager, { importId, submitters }: RetryRequest): Promise<number[]> {
  const rows = await query<{ id: number }>(em, LEFT, [importId, listed(submitters)]);
  return rows.map(({ id }) => id);
}

async function record(
  em: EntityManager,
  { importId, clientId, actor = clientActor(clientId) }: RetryRequest,
  left: readonly number[],
): Promise<ImportRetryRow> {
  await em.execute('delete from retry_result where zip_import_id = ?', [importId]);
  await query(em, INSERT_LEFT, [importId, left]);
  const row = {
    packageImport: importId,
    uuid: randomUUID(),
    clientId,
    requestedBy: actor,
    requestedAt: new Date(),
    endedAt: null,
  };
  await em.nativeDelete(ImportRetry, { packageImport: importId });
  await em.insert(ImportRetry, row);
  const detail = { submissions: left.length };
  await audit(em, [{ actor, action: 'import.retry_requested', importId, detail }]);
  return row as ImportRetryRow;
}

async function isUnderWay(em: EntityManager, importId: number): Promise<boolean> {
  return (await query(em, UNDER_WAY, [importId])).length > 0;
}

async function isBeingInserted(em: EntityManager, importId: number): Promise<boolean> {
  return (await query(em, BEING_INSERTED, [importId])).length > 0;
}

const listed = (submitters: Submitters) => (submitters === null ? null : [...submitters]);

/** `$2`: submitters of the products; null for all. */
const OF_SUBMITTERS = `($2::text[] is null or left(s.product_id, 5) = any($2))`;

const RUNNABLE = statusesBefore('regulator_inserting')
  .map((status) => `'${status}'`)
  .join(', ');

const LEFT = `select s.id from submission s
  where s.zip_import_id = $1 and s.status in (${RUNNABLE}) and ${OF_SUBMITTERS} and not ${isSuperseded('s')}`;

const INSERT_LEFT = `insert into retry_result (submission_id, zip_import_id) select unnest($2::bigint[]), $1`;

const UNDER_WAY = `select 1 from retry_result where zip_import_id = $1 and status is null limit 1`;

const BEING_INSERTED = `select 1 from retry_result r join submission s on s.id = r.submission_id
  where r.zip_import_id = $1 and s.status = 'regulator_inserting' and s.job_id = r.job_id limit 1`;

const NEXT = `select s.id as "submissionId", s.product_id as "productId", s.status, s.job_id as "jobId",
    r.tried_at is not null as tried
  from import_retry t
  join retry_result r on r.zip_import_id = t.zip_import_id
  join submission s on s.id = r.submission_id
  where t.uuid = $1 and t.ended_at is null and r.status is null
  order by s.entry_index limit $2`;

const TAKE = `update retry_result set tried_at = now() where submission_id = any($1::bigint[]) and tried_at is null`;

/** A result also replaces a give-up during the start: the start is the fact. */
const RECORD = `update retry_result r
    set status = n.status, message = n.message, job_id = n."jobId", job_state = n."jobState"
  from import_retry t,
       jsonb_to_recordset($2::jsonb) as n("submissionId" bigint, status smallint, message text, "jobId" uuid, "jobState" text)
  where t.uuid = $1 and r.zip_import_id = t.zip_import_id and r.submission_id = n."submissionId"`;

const COUNTS = `select count(*) filter (where r.status = 202)::int as queued,
    count(*) filter (where r.status <> 202)::int as failed,
    count(*) filter (where r.status is null)::int as pending
  from retry_result r join submission s on s.id = r.submission_id
  where r.zip_import_id = $1 and ${OF_SUBMITTERS}`;

const RESULTS = `select r.submission_id as "submissionId", s.product_id as "productId", r.status, r.message, r.job_id as "jobId", r.job_state as "jobState"
  from retry_result r join submission s on s.id = r.submission_id
  where r.zip_import_id = $1 and ${OF_SUBMITTERS} and r.status is not null
    and s.entry_index > coalesce((select entry_index from submission where id = $3), -1)
  order by s.entry_index limit $4`;
