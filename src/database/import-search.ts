/**
 * Searchable lists of imports, newest first. Owner, status and time use an index in the order of the list. Texts and
 * failures have no index: each query checks a bounded number of imports. A page may therefore be short, and says where
 * the next one begins (decision §searches-are-bounded).
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { COMMENT_SCAN_LENGTH, GREATEST_ID, SCAN_LIMIT } from '../contract/limits.ts';
import { IMPORT_STATUSES, type ImportStatus } from '../contract/statuses.ts';
import { anywhere, IS_RUNNABLE, type OwnerFilter, ownedBy } from './conditions.ts';
import { PackageImport, type PackageImportRow } from './entities/package-import.ts';
import { type Orm, onSnapshot } from './orm.ts';
import { statements } from './statements.ts';

export interface ImportSearch extends OwnerFilter {
  status?: ImportStatus | undefined;
  /** Uploaded at this moment or later. */
  from?: Date | undefined;
  /** Uploaded before this moment. */
  until?: Date | undefined;
  /** Part of the file name, case-insensitive. */
  fileName?: string | undefined;
  /** Part of the comment's beginning, case-insensitive. */
  comment?: string | undefined;
  /** Whether a product or file failed, was refused or was not queued. */
  hasFailures?: boolean | undefined;
}

export interface ImportPage {
  records: PackageImportRow[];
  /** `before` of the next page; null on the last one. */
  nextBefore: number | null;
}

interface ListedCounts {
  byStatus: Record<ImportStatus, number>;
  /** Whether all imports were counted, and not only the newest. */
  complete: boolean;
}

/** Position of a list: the next page begins after this import. */
interface Place {
  uploadedAt: Date;
  id: number;
}

/** @param before id of the last import of the previous page */
export async function searchImports(
  orm: Orm,
  search: ImportSearch,
  {
    limit,
    before,
    scanLimit = SCAN_LIMIT,
  }: { limit: number; before?: number | undefined; scanLimit?: number },
): Promise<ImportPage> {
  return onSnapshot(orm, async (em) => {
    await byIndexOnly(em);
    const after = before === undefined ? null : await placeOf(em, search, before);
    if (after === undefined) return { records: [], nextBefore: null };
    const scanned = inOrder(search, after, needsScan(search) ? scanLimit : null);
    const found = await statements(em).rows<{ id: number }>`
      select i.id from (${scanned}) i where ${likeSearch(search)} order by i.uploaded_at desc, i.id desc limit ${limit + 1}
    `;
    const shown = found.slice(0, limit).map(({ id }) => id);
    const newest = { orderBy: { uploadedAt: 'desc', id: 'desc' } } as const;
    const records = await em.find(PackageImport, { id: { $in: shown } }, newest);
    if (found.length > limit) return { records, nextBefore: shown.at(-1) ?? null };
    if (!needsScan(search)) return { records, nextBefore: null };
    const lastScanned = await statements(em).row<{ id: number }>`
      select i.id from (${scanned}) i order by i.uploaded_at desc, i.id desc offset ${scanLimit - 1}
    `;
    return { records, nextBefore: lastScanned?.id ?? null };
  });
}

/** Counts the newest imports that match the search by status. The search's own status is ignored. */
export async function countImports(
  orm: Orm,
  { status: _, ...search }: ImportSearch,
  scanLimit = SCAN_LIMIT,
): Promise<ListedCounts> {
  return onSnapshot(orm, async (em) => {
    await byIndexOnly(em);
    // One more row shows whether there are more.
    const rows = await statements(em).rows<{ status: ImportStatus; found: number; all: number }>`
      select i.status, (count(*) filter (where i.number <= ${scanLimit} and ${likeSearch(search)}))::int as found,
             count(*)::int as all
        from (select i.*, row_number() over (order by i.uploaded_at desc, i.id desc) as number
                from (${inOrder(search, null, scanLimit + 1)}) i) i
       group by i.status
    `;
    const found = rows.map(({ status, found }) => [status, found]);
    return {
      byStatus: {
        ...Object.fromEntries(IMPORT_STATUSES.map((status) => [status, 0])),
        ...Object.fromEntries(found),
      },
      complete: rows.reduce((sum, { all }) => sum + all, 0) <= scanLimit,
    };
  });
}

/**
 * Every part of a search has an index. When few imports have most products, PostgreSQL expects thousands of rows of every
 * import, and would read the whole table for each.
 */
async function byIndexOnly(em: EntityManager): Promise<void> {
  await statements(em).run`set local enable_seqscan = off`;
}

/**
 * Position of the newest import whose id is not above `before`, which need not be in the list. Undefined without such
 * an import.
 */
async function placeOf(em: EntityManager, search: ImportSearch, asked: number): Promise<Place | undefined> {
  const before = Math.min(asked, GREATEST_ID);
  const row = await statements(em).row<{ uploadedAt: Date }>`
    select uploaded_at from zip_import
     where id <= ${before} and ${ownedBy('zip_import', search)} order by id desc limit 1
  `;
  return row && { ...row, id: before };
}

/**
 * Query: imports that an index selects in the order of the list.
 *
 * @param limit null for all
 */
function inOrder(search: ImportSearch, after: Place | null, limit: number | null) {
  const { status, from, until } = search;
  return sql`
    select i.id, i.uploaded_at, i.file_name, i.comment, i.status from zip_import i
     where ${ownedBy('i', search)} and ${status === undefined ? sql`true` : sql`i.status = ${status}`}
       and i.uploaded_at >= ${from ?? '-infinity'} and i.uploaded_at < ${until ?? 'infinity'}
       and (i.uploaded_at, i.id) < (${after?.uploadedAt ?? 'infinity'}, ${after?.id ?? 0})
     order by i.uploaded_at desc, i.id desc limit ${limit}`;
}

function needsScan({ fileName, comment, hasFailures }: ImportSearch): boolean {
  return [fileName, comment, hasFailures].some((condition) => condition !== undefined);
}

/** Conditions that are checked import by import. */
function likeSearch({ fileName, comment, hasFailures }: ImportSearch) {
  return sql`
    ${fileName === undefined ? sql`true` : sql`i.file_name ilike ${anywhere(fileName)}`}
    and ${comment === undefined ? sql`true` : sql`left(i.comment, ${sql.lit(COMMENT_SCAN_LENGTH)}) ilike ${anywhere(comment)}`}
    and ${hasFailures === undefined ? sql`true` : sql`(${FAILURES}) = ${hasFailures}`}`;
}

/**
 * Condition on an import `i`. Each part reads an index that holds only such rows. Products are `local` before they are
 * queued, and remain so after a refusal.
 */
const FAILURES = sql`i.status = 'failed'
    or exists (select 1 from zip_import_file f where f.zip_import_id = i.id and f.kind = 'product' and f.outcome = 'failed')
    or i.status <> 'extracting' and exists (
      select 1 from submission s where s.zip_import_id = i.id and ${IS_RUNNABLE})`;
