/** Reading submissions. */
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
  /** Only of imports of this client; undefined for operators, who see all. */
  clientId?: string | undefined;
  /** Only of products of these submitters; absent or null for all. */
  submitters?: Submitters;
  importId?: number | undefined;
  productId?: string | undefined;
  status?: SubmissionStatus | undefined;
}

/** The submission of a run, and the step that was begun last; null before the first. */
export interface WorkingSubmission {
  id: number;
  status: SubmissionStatus;
  currentStep: InsertStep | null;
}

/** By its size, which is known without reading them: they may be long, and lie out of line. An empty list takes 8 bytes at the most. */
const WARNED = 'pg_column_size(warnings) > 8';

const gunzipped = promisify(gunzip);

export function createSubmissionRepository(orm: Orm) {
  return {
    /** A submission with its import, and whether a newer one of its product has been queued. */
    async find(id: number): Promise<{ submission: SubmissionRow; superseded: boolean } | null> {
      const submission = await orm.em.fork().findOne(Submission, { id });
      if (!submission) return null;
      const superseded = await this.superseded([submission]);
      return { submission, superseded: superseded.has(id) };
    },

    /**
     * The product file as it was sent; null where retention has removed it, or there is no such submission.
     *
     * @throws when the stored bytes are damaged
     */
    async rawXml(id: number): Promise<Buffer | null> {
      const [row] = await orm.em
        .fork()
        .execute<{ raw_xml: Buffer | null }[]>('select raw_xml from submission where id = ?', [id]);
      return row?.raw_xml ? gunzipped(row.raw_xml) : null;
    },

    /** Newest first. `before` is the id below which to go on. */
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

    /** What became of the products of each import. Imports without submissions are not in it. */
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

    /** Those of the given submissions for whose product a newer one has been queued. */
    async superseded(submissions: readonly { id: number; productId: string }[]): Promise<Set<number>> {
      return new Set((await newestQueued(orm.em.fork(), submissions)).keys());
    },

    /** How far the given runs are, by run id, in one question; runs that have not begun are not in it. */
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
