/** Reads the reported data of an import in pages, in archive order: here the files that did not become products. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Reason } from '../../contract/types.ts';
import { OFFERS_INSERT } from '../conditions.ts';
import type { Tables } from '../entities/index.ts';

/** Submissions or files per page. The notes of a page have 0.8 MB at most (decision §notes-are-bounded). */
export const REPORT_PAGE = 50;

/** Position of the last row of a page; the next page begins after it. */
export interface Place {
  entryIndex: number;
  id: number;
}

/** @param read returns up to REPORT_PAGE rows after a position */
export async function* pagesOf<Row extends Place>(
  read: (after: Place) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let after: Place = { entryIndex: -1, id: 0 };
  for (;;) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < REPORT_PAGE) return;
    after = last;
  }
}

/** A file that did not become a record of its own. */
export interface ReportedFile {
  id: number;
  entryIndex: number;
  entryPath: string;
  xmlFile: string;
  kind: 'product' | 'attachment' | 'submitter' | 'other';
  reasons: Reason[];
  productId: string | null;
}

/** Lists of files in a report. */
export type FileList = 'failed' | 'skipped' | 'unreadable';

export interface FileCounts extends Record<FileList, number> {
  /** Largest id: files with a larger id came later. */
  lastId: number;
}

export async function countFiles(em: EntityManager, importId: number): Promise<FileCounts> {
  const count = (list: FileList) =>
    sql<number>`count(*) filter (where ${CONDITIONS[list]})::int`.as<FileList>(list);
  return filesOf(em, importId)
    .select([count('failed'), count('skipped'), count('unreadable')])
    .select(sql<number>`coalesce(max(f.id), 0)`.as('lastId'))
    .executeTakeFirstOrThrow();
}

/** @param lastId leaves later files out; null for none */
export function filePages(
  connection: () => EntityManager,
  importId: number,
  list: FileList,
  lastId: number | null,
): AsyncGenerator<ReportedFile[]> {
  return pagesOf((after) =>
    filesOf(connection(), importId)
      .select(['f.id', 'f.kind', 'f.reasons'])
      .select(['f.entry_index as entryIndex', 'f.entry_path as entryPath', 'f.xml_file as xmlFile'])
      .select('f.product_id as productId')
      .where(CONDITIONS[list])
      .where(sql<boolean>`(f.entry_index, f.id) > (${after.entryIndex}, ${after.id})`)
      .$if(lastId !== null, (rows) => rows.where('f.id', '<=', lastId ?? 0))
      .orderBy('f.entry_index')
      .orderBy('f.id')
      .limit(REPORT_PAGE)
      .execute(),
  );
}

/** The first of the archive, if several files in different folders have the name. */
export async function positionOfFailed(
  em: EntityManager,
  importId: number,
  xmlFile: string,
): Promise<number | null> {
  const submissions = em
    .getKysely<Tables>()
    .selectFrom('submission as s')
    .select('s.entry_index as entryIndex')
    .where('s.zip_import_id', '=', importId)
    .where('s.xml_file', '=', xmlFile)
    .where(OFFERS_INSERT);
  const first = await filesOf(em, importId)
    .select('f.entry_index as entryIndex')
    .where('f.xml_file', '=', xmlFile)
    .where(CONDITIONS.failed)
    .unionAll(submissions)
    .orderBy('entryIndex')
    .limit(1)
    .executeTakeFirst();
  return first?.entryIndex ?? null;
}

const CONDITIONS = {
  failed: sql<boolean>`f.kind = 'product' and f.outcome = 'failed'`,
  skipped: sql<boolean>`f.kind = 'product' and f.outcome = 'skipped'`,
  unreadable: sql<boolean>`f.kind <> 'product'`,
} as const satisfies Record<FileList, unknown>;

function filesOf(em: EntityManager, importId: number) {
  return em.getKysely<Tables>().selectFrom('zip_import_file as f').where('f.zip_import_id', '=', importId);
}
