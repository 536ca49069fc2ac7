/** Reads the reported data of an import in pages, in archive order: here the files that did not become products. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { GREATEST_ID } from '../../contract/limits.ts';
import { newerSupersedes, OFFERS_INSERT } from '../conditions.ts';
import type { ImportFileRow } from '../entities/package-import.ts';
import { type Columns, statements } from '../statements.ts';

/** Submissions or files per page. The notes of a page have 0.8 MB at most (decision §notes-are-bounded). */
export const REPORT_PAGE = 50;

/** Position of the last row of a page; the next page begins after it. */
interface Place {
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
export type ReportedFile = Columns<
  ImportFileRow,
  'id' | 'entryIndex' | 'entryPath' | 'xmlFile' | 'kind' | 'reasons' | 'productId'
>;

/** Lists of files in a report. */
export type FileList = 'failed' | 'skipped' | 'unreadable';

/** The failed files that nobody has corrected, and the lists of a report. */
export type FileSelection = 'repairable' | FileList;

export interface FileCounts extends Record<FileList, number> {
  /** Largest id: files with a larger id came later. */
  lastId: number;
}

export async function countFiles(em: EntityManager, importId: number): Promise<FileCounts> {
  const count = (list: FileList) => sql`(count(*) filter (where ${CONDITIONS[list]}))::int`;
  const row = await statements(em).row<FileCounts>`
    select ${count('failed')} as failed, ${count('skipped')} as skipped, ${count('unreadable')} as unreadable,
           coalesce(max(f.id), 0) as last_id
      from zip_import_file f where f.zip_import_id = ${importId}
  `;
  return row ?? { failed: 0, skipped: 0, unreadable: 0, lastId: 0 };
}

/** @param lastId leaves later files out */
export function filePages(
  connection: () => EntityManager,
  importId: number,
  selection: FileSelection,
  lastId = GREATEST_ID,
): AsyncGenerator<ReportedFile[]> {
  return pagesOf(
    (after) => statements(connection()).rows<ReportedFile>`
      select f.id, f.kind, f.reasons, f.entry_index, f.entry_path, f.xml_file, f.product_id
        from zip_import_file f
       where f.zip_import_id = ${importId} and ${CONDITIONS[selection]}
         and (f.entry_index, f.id) > (${after.entryIndex}, ${after.id}) and f.id <= ${lastId}
       order by f.entry_index, f.id limit ${REPORT_PAGE}
    `,
  );
}

/** The first of the archive, if several files in different folders have the name. */
export async function positionOfFailed(
  em: EntityManager,
  importId: number,
  xmlFile: string,
): Promise<number | null> {
  const row = await statements(em).row<{ entryIndex: number }>`
    select f.entry_index from zip_import_file f
     where f.zip_import_id = ${importId} and f.xml_file = ${xmlFile} and ${CONDITIONS.repairable}
    union all
    select s.entry_index from submission s
     where s.zip_import_id = ${importId} and s.xml_file = ${xmlFile} and ${OFFERS_INSERT}
     order by entry_index limit 1
  `;
  return row?.entryIndex ?? null;
}

/**
 * Condition on the file `f`: a newer submission of its product has been queued. Clients learn nothing of products of
 * submitters that are not their own (decision §imports-have-an-owner).
 */
const IS_CORRECTED = sql`exists (
  select from submission newer join zip_import i on i.id = f.zip_import_id
   where ${newerSupersedes('f')}
     and (i.submitters is null or i.submitters @> to_jsonb(left(f.product_id, 5))))`;

const HAS_FAILED = sql`f.kind = 'product' and f.outcome = 'failed'`;

const CONDITIONS = {
  failed: HAS_FAILED,
  repairable: sql`${HAS_FAILED} and not ${IS_CORRECTED}`,
  skipped: sql`f.kind = 'product' and f.outcome = 'skipped'`,
  unreadable: sql`f.kind <> 'product'`,
} as const satisfies Record<FileSelection, unknown>;
