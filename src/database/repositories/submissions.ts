/** Repository for reading submissions. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { raw } from '@mikro-orm/core';
import type { SubmissionStatus } from '../../contract/statuses.ts';
import type { InsertStep } from '../../contract/steps.ts';
import { noProducts, type ProductCounts } from '../../domain/submission.ts';
import type { Submitters } from '../../domain/submitters.ts';
import { Submission, type SubmissionRow } from '../entities/submission.ts';
import type { Orm } from '../orm.ts';
import { newestQueued } from '../superseded.ts';

export interface SubmissionFilter {
  /** Client of the imports; undefined for operators, who see all. */
  clientId?: string | undefined;
  /** Submitters of the products; absent or null for all. */
  submitters?: Submitters;
  importId?: number | undefined;
  productId?: string | undefined;
  status?: SubmissionStatus | undefined;
}

/** The submission of a run, and its last begun step; null before the first. */
export interface WorkingSubmission {
  id: number;
  status: SubmissionStatus;
  currentStep: InsertStep | null;
}

/**
 * Tests the size of the column, which PostgreSQL knows without reading the value: warnings may be long and stored out
 * of line. An empty list takes 8 bytes at most.
 */
const WARNED = 'pg_column_size(warnings) > 8';

const gunzipped = promisify(gunzip);

export function createSubmissionRepository(orm: Orm) {
  return {
    /** A submission with its import, and whether a newer submission of its product has been queued. */
    async find(id: number): Promise<{ submission: SubmissionRow; superseded: boolean } | null> {
      const submission = await orm.em.fork().findOne(Submission, { id });
      if (!submission) return null;
      const superseded = await this.superseded([submission]);
      return { submission, superseded: superseded.has(id) };
    },

    /**
     * The original product file; null for an unknown submission, or after retention removed the file.
     *
     * @throws when the stored bytes are damaged
     */
    async rawXml(id: number): Promise<Buffer | null> {
      const [row] = await orm.em
        .fork()
        .execute<{ raw_xml: Buffer | null }[]>('select raw_xml from submission where id = ?', [id]);
      return row?.raw_xml ? gunzipped(row.raw_xml) : null;
    },

    /** Submissions, newest first, with ids below `before`. */
    async list(
      { clientId, submitters = null, importId, productId, status }: SubmissionFilter,
      page: { limit: number; before?: number | undefined },
    ): Promise<SubmissionRow[]> {
      const where = {
        ...(clientId !== undefined && { clientId }),
        ...(submitters !== null && ofSubmitters(submitters)),
        ...(importId !== undefined && { packageImport: importId }),
        ...(productId !== undefined && { productId }),
        ...(status !== undefined && { status }),
        ...(page.before !== undefined && { id: { $lt: page.before } }),
      };
      return orm.em.fork().find(Submission, where, {
        orderBy: { id: 'desc' },
        limit: page.limit,
        disableIdentityMap: true,
      });
    },

    /** Counts the products of each import by status. Imports without submissions are absent. */
    async countByImport(
      importIds: readonly number[],
      submitters: Submitters = null,
    ): Promise<Map<number, ProductCounts>> {
      if (importIds.length === 0) return new Map();
      const rows = await orm.em
        .fork()
        .execute<{ zip_import_id: number; status: SubmissionStatus; count: number; warned: number }[]>(
          `select zip_import_id, status, count(*)::int as count, (count(*) filter (where ${WARNED}))::int as warned
             from submission
            where zip_import_id in (?) ${submitters === null ? '' : `and ${OF_SUBMITTERS}`} group by zip_import_id, status`,
          [[...importIds], ...(submitters === null ? [] : [JSON.stringify(submitters)])],
        );
      const counts = new Map<number, ProductCounts>();
      for (const { zip_import_id, status, count, warned } of rows) {
        const known = counts.get(zip_import_id) ?? noProducts();
        known.progress[status] = count;
        known.warned += warned;
        counts.set(zip_import_id, known);
      }
      return counts;
    },

    /** Submissions among the given ones for whose product a newer one has been queued. */
    async superseded(submissions: readonly { id: number; productId: string }[]): Promise<Set<number>> {
      return new Set((await newestQueued(orm.em.fork(), submissions)).keys());
    },

    /** Progress of runs, by run id, in one query. Runs that have not begun are absent. */
    async findByJobIds(jobIds: readonly string[]): Promise<Map<string, WorkingSubmission>> {
      if (jobIds.length === 0) return new Map();
      const rows = await orm.em.fork().execute<(WorkingSubmission & { job_id: string })[]>(
        `select id, job_id, status, current_step as "currentStep" from submission
            where job_id in (select jsonb_array_elements_text(?::jsonb)::uuid)`,
        [JSON.stringify(jobIds)],
      );
      return new Map(rows.map(({ job_id, ...submission }) => [job_id, submission]));
    },
  };
}

function ofSubmitters(submitters: readonly string[]) {
  return { [raw(OF_SUBMITTERS, [JSON.stringify(submitters)])]: [] };
}

const OF_SUBMITTERS = 'left(product_id, 5) in (select jsonb_array_elements_text(?::jsonb))';
