/** What is told of an import is read in pages, in archive order. */
import type { Submitters } from '../../domain/submitters.ts';

/** Submissions and files of a page. Of notes a page has 3 MB at the most (decision §notes-are-bounded). */
export const REPORT_PAGE = 200;

/** An import, and whose products of it are told of; null for all. */
export interface ImportView {
  importId: number;
  submitters: Submitters;
}

/** The last row of a page; the next one begins behind it. */
export interface Place {
  entryIndex: number;
  id: number;
}

/** @param read gives up to REPORT_PAGE rows behind a place */
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
