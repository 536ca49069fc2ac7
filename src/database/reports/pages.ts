/** Reads the reported data of an import in pages, in archive order. */
import type { Submitters } from '../../domain/submitters.ts';

/** Submissions or files per page. The notes of a page have 3 MB at most (decision §notes-are-bounded). */
export const REPORT_PAGE = 200;

/** An import, and the submitters whose products are visible; null for all. */
export interface ImportView {
  importId: number;
  submitters: Submitters;
}

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
