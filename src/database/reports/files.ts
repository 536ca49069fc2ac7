/** Reads the files of an import that did not become products. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ofSubmitters } from '../of-submitters.ts';
import type { Tables } from '../tables.ts';
import { type ImportView, pagesOf, REPORT_PAGE } from './pages.ts';

/** A file that did not become a record of its own. */
export interface ReportedFile {
  id: number;
  entryIndex: number;
  entryPath: string;
  xmlFile: string;
  kind: 'product' | 'attachment' | 'submitter';
  reason: string;
  productId: string | null;
}

/** Lists of files in a report. */
export type FileList = 'failed' | 'skipped' | 'unreadable';

export interface FileCounts extends Record<FileList, number> {
  /** Largest id: files with a larger id came later. */
  lastId: number;
}

export async function countFiles(em: EntityManager, view: ImportView): Promise<FileCounts> {
  const count = (list: FileList) =>
    sql<number>`count(*) filter (where ${CONDITIONS[list]})::int`.as<FileList>(list);
  return visibleFiles(em, view)
    .select([count('failed'), count('skipped'), count('unreadable')])
    .select(sql<number>`coalesce(max(f.id), 0)`.as('lastId'))
    .executeTakeFirstOrThrow();
}

/** @param lastId leaves later files out; null for none */
export function filePages(
  connection: () => EntityManager,
  view: ImportView,
  list: FileList,
  lastId: number | null,
): AsyncGenerator<ReportedFile[]> {
  return pagesOf((after) =>
    visibleFiles(connection(), view)
      .select(['f.id', 'f.kind', 'f.reason'])
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

const CONDITIONS = {
  failed: sql<boolean>`f.kind = 'product' and f.outcome = 'failed'`,
  skipped: sql<boolean>`f.kind = 'product' and f.outcome = 'skipped'`,
  unreadable: sql<boolean>`f.kind <> 'product'`,
} as const satisfies Record<FileList, unknown>;

/**
 * Leaves out skipped files of other submitters: their reasons name cases. The reason of a refused file reveals only the
 * file itself (decision §products-belong-to-submitters).
 */
function visibleFiles(em: EntityManager, { importId, submitters }: ImportView) {
  return em
    .getKysely<Tables>()
    .selectFrom('zip_import_file as f')
    .where('f.zip_import_id', '=', importId)
    .$if(submitters !== null, (rows) =>
      rows.where(
        sql<boolean>`(f.outcome = 'failed' or f.product_id is null or ${ofSubmitters('f.product_id', submitters)})`,
      ),
    );
}
