/** Pages of a list, newest first, merged. Pure. */

/** Names a place in a list: the API lists the entries behind it. */
export type Cursor = number | string;

export interface Row {
  id: Cursor;
}

export interface Page<R extends Row> {
  rows: readonly R[];
  /** The start of the next page; null at the end of the list. */
  next_before: Cursor | null;
}

const hasSmallerId = (one: Row, than: Row): boolean => one.id < than.id;

/**
 * Merges a page into the known list: the page replaces its own part, the rest stays. A page that is full ends at its last
 * row. A search that has looked at its part of the list ends at its cursor, and may have found nothing.
 * @param before start of the page; null for the newest
 */
export function withPage<R extends Row>(
  known: Page<R>,
  page: Page<R>,
  before: Cursor | null,
  isOlder: (one: R, than: R) => boolean = hasSmallerId,
): Page<R> {
  const { rows, next_before: end } = page;
  const last = rows.at(-1);
  const isFull = last?.id === end;
  const [newest] = known.rows;
  const listed = new Set(rows.map(({ id }) => id));
  const isBehind = (one: R) =>
    end !== null && !listed.has(one.id) && (last && isFull ? isOlder(one, last) : one.id < end);
  // More rows arrived than one page holds: the rows between are unknown.
  if (before === null && isFull && newest && isBehind(newest)) return page;
  const above = rowsAbove(known.rows, page, before, isOlder);
  const below = known.rows.filter(isBehind);
  const isOnTop = below.length > 0 || (before === null && end !== null && !isFull);
  return {
    rows: [...above.filter((one) => !listed.has(one.id) && !isBehind(one)), ...rows, ...below],
    next_before: isOnTop ? known.next_before : end,
  };
}

/** The rows up to the start of a page. If the start has left the list since, the first row of the page decides. */
function rowsAbove<R extends Row>(
  rows: readonly R[],
  { rows: [first] }: Page<R>,
  before: Cursor | null,
  isOlder: (one: R, than: R) => boolean,
): readonly R[] {
  if (before === null) return [];
  const start = rows.findIndex(({ id }) => id === before);
  if (start >= 0) return rows.slice(0, start + 1);
  return rows.filter((one) => first === undefined || isOlder(first, one));
}
