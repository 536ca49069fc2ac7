/** Reads the reported data of an import in pages, in archive order. */

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
