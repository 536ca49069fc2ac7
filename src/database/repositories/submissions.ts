/** Repository for reading submissions. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { DEFAULT_PAGE, ENTRY_BYTES } from '../../contract/limits.ts';
import type { SubmissionStatus } from '../../contract/statuses.ts';
import { bytesOf } from '../../domain/notes.ts';
import { noProducts, type ProductCounts, type WorkingSubmission } from '../../domain/submission.ts';
import { ANY_OFFERS_INSERT, given, IS_WARNED, OFFERS_INSERT } from '../conditions.ts';
import { Submission, type SubmissionRow } from '../entities/submission.ts';
import { type Orm, onSnapshot } from '../orm.ts';
import { statements } from '../statements.ts';

interface SubmissionFilter {
  /** Owner of the imports; undefined for operators, who see all. */
  tenant?: string | undefined;
  importId?: number | undefined;
  productId?: string | undefined;
  /** ID of the regulator's case. */
  caseId?: string | undefined;
  /** Run id of its last insert. */
  jobId?: string | undefined;
  status?: SubmissionStatus | undefined;
}

interface SubmissionPage {
  page: SubmissionRow[];
  /** The first submission after the page; null on the last page. */
  next: SubmissionRow | null;
  /** `before` of the next page; null on the last one. */
  nextBefore: number | null;
}

/** Submissions that a list reads at a time: one more than a page has by default. */
const READ_AT_ONCE = DEFAULT_PAGE + 1;

export function createSubmissionRepository(orm: Orm) {
  const db = statements(orm.em.fork());

  return {
    /** A submission, and whether it offers an insert; null for an unknown id. */
    async find(id: number): Promise<{ submission: SubmissionRow; offersInsert: boolean } | null> {
      return onSnapshot(orm, async (em) => {
        const submission = await em.findOne(Submission, { id });
        return submission && { submission, offersInsert: (await offering(em, [submission])).has(id) };
      });
    },

    /**
     * Bytes of the original product file as gzip; null for an unknown submission, or after retention removed the file.
     */
    async gzippedXmlBytes(id: number): Promise<number | null> {
      const row = await db.row<{ bytes: number | null }>`
        select octet_length(raw_xml) as bytes from submission where id = ${id}
      `;
      return row?.bytes ?? null;
    },

    /** The original product file as gzip (RFC 1952); null as `gzippedXmlBytes`. */
    async gzippedXml(id: number): Promise<Uint8Array | null> {
      const row = await db.row<{ xml: Uint8Array | null }>`
        select raw_xml as xml from submission where id = ${id}
      `;
      return row?.xml ?? null;
    },

    /**
     * A page of submissions, newest first, after the submission `before`. Those of a product are in the order of their
     * imports (decision §one-insert-per-product), others in the order of their ids. A page ends before its limit if its
     * entries are larger than ENTRY_BYTES on average, but never without an entry.
     */
    async list(
      { importId, ...filter }: SubmissionFilter,
      { limit, before }: { limit: number; before?: number | undefined },
    ): Promise<SubmissionPage> {
      const where = given({ packageImport: importId, ...filter });
      const order = filter.productId === undefined ? 'id' : 'packageImport';
      const page: SubmissionRow[] = [];
      let bytesLeft = limit * ENTRY_BYTES;
      let last = before;
      if (before !== undefined && order === 'packageImport') {
        // A `before` of another tenant counts as unknown. The page thus does not reveal its position.
        const place = given({ id: before, tenant: filter.tenant });
        last = (await orm.em.fork().findOne(Submission, place))?.packageImport ?? 0;
      }
      for (; ; last = page.at(-1)?.[order]) {
        const below = last === undefined ? {} : { [order]: { $lt: last } };
        const wanted = Math.min(READ_AT_ONCE, limit + 1 - page.length);
        const newest = { orderBy: { [order]: 'desc' }, limit: wanted, disableIdentityMap: true } as const;
        const rows = await orm.em.fork().find(Submission, { ...where, ...below }, newest);
        for (const row of rows) {
          bytesLeft -= bytesInAnswer(row);
          if (page.length === limit || (page.length > 0 && bytesLeft < 0))
            return { page, next: row, nextBefore: page.at(-1)?.id ?? null };
          page.push(row);
        }
        if (rows.length < wanted) return { page, next: null, nextBefore: null };
      }
    },

    /** Counts the products of each import by status, and its refused files. Imports without either are absent. */
    async countByImport(importIds: readonly number[]): Promise<Map<number, ProductCounts>> {
      interface Row extends Pick<ProductCounts, 'warned' | 'offersInsert' | 'retried'> {
        importId: number;
        status: SubmissionStatus | null;
        count: number;
      }
      const rows = await db.rows<Row>`
        select c.*, ${ANY_OFFERS_INSERT} as offers_insert,
               exists (select from import_retry r where r.zip_import_id = c.import_id) as retried
          from (
            select zip_import_id as import_id, status, count(*)::int as count,
                   (count(*) filter (where ${IS_WARNED}))::int as warned
              from submission s where zip_import_id = any(${importIds}::bigint[]) group by zip_import_id, status
            union all
            select zip_import_id, null, count(*)::int, 0 from zip_import_file
             where zip_import_id = any(${importIds}::bigint[]) and kind = 'product' and outcome = 'failed'
             group by zip_import_id) c
      `;
      const counts = new Map<number, ProductCounts>();
      for (const { importId, status, count, warned, offersInsert, retried } of rows) {
        const known = counts.get(importId) ?? noProducts();
        if (status === null) known.refused = count;
        else known.progress[status] = count;
        known.warned += warned;
        known.offersInsert ||= offersInsert;
        known.retried = retried;
        counts.set(importId, known);
      }
      return counts;
    },

    /** The submissions among the given ones that offer an insert. */
    offeringInsert: (submissions: readonly { id: number }[]) => offering(orm.em.fork(), submissions),

    /** Progress of runs, by run id, in one query. Runs that have not begun are absent. */
    async findByJobIds(jobIds: readonly string[]): Promise<Map<string, WorkingSubmission>> {
      if (jobIds.length === 0) return new Map();
      const rows = await db.rows<WorkingSubmission & { jobId: string }>`
        select id, job_id, status, current_step
          from submission where job_id = any(${jobIds}::uuid[])
      `;
      return new Map(rows.map(({ jobId, ...submission }) => [jobId, submission]));
    },
  };
}

/** Bytes of a submission beside its notes and its comment. */
const OTHER_BYTES = 2 * 1024;

/** Size of a submission in an answer, which shows the comment twice, and the failure as a text and as a list. */
export function bytesInAnswer({ comment, warnings, failureReason }: SubmissionRow): number {
  const shownTwice = Buffer.byteLength(comment ?? '') + bytesOf(failureReason ?? []);
  return OTHER_BYTES + bytesOf(warnings) + 2 * shownTwice;
}

/** The submissions among the given ones that offer an insert. */
export async function offering(
  em: EntityManager,
  submissions: readonly { id: number }[],
): Promise<Set<number>> {
  const ids = submissions.map(({ id }) => id);
  const rows = await statements(em).rows<{ id: number }>`
    select s.id from submission s where s.id = any(${ids}::bigint[]) and ${OFFERS_INSERT}
  `;
  return new Set(rows.map(({ id }) => id));
}
