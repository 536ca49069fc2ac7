/** Reads many records or keys in pages, so that memory holds one page. */

/** Rows per query. */
const PAGE = 500;

/**
 * Rows in order of their ids.
 *
 * @param read the rows after an id, `limit` at most
 */
export async function* rowsById<Row>(
  read: (after: number, limit: number) => Promise<Row[]>,
  idOf: (row: Row) => number,
): AsyncGenerator<Row> {
  for (let after = 0; ; ) {
    const rows = await read(after, PAGE);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = idOf(last);
  }
}

/** The items in groups of this size; the last group may be smaller. */
export async function* grouped<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  size = PAGE,
): AsyncGenerator<Item[]> {
  let group: Item[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
