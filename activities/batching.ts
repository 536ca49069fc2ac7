/** Reads many records or keys in pages, so that memory holds one page, and works on them one by one. */
import { Context } from '@temporalio/activity';

/** Rows per query. */
const ROWS_PAGE = 500;

/** Rows in order of their ids. @param read the rows after an id, `limit` at most */
export async function* rowsById<Row>(
  read: (after: number, limit: number) => Promise<Row[]>,
  idOf: (row: Row) => number,
): AsyncGenerator<Row> {
  for (let after = 0; ; ) {
    const rows = await read(after, ROWS_PAGE);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_PAGE) return;
    after = idOf(last);
  }
}

/** The items in groups of this size; the last group may be smaller. */
export async function* grouped<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  size = ROWS_PAGE,
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

/** Items of `forEachConcurrent` under way. */
const AT_ONCE = 10;

/** Works on every item, on some at the same time. */
export async function forEachConcurrent<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for await (const some of grouped(items, AT_ONCE)) await Promise.all(some.map(work));
}

/** Errors after which the work ends. */
const MAX_ERRORS = 20;

/**
 * Works on every item, also after errors. Many errors mean that a part of the service, or the mail server, is
 * unavailable: the rest waits for the next attempt.
 *
 * @throws the first error, at the end
 */
export async function continueOnError<T>(
  items: AsyncIterable<T> | Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const { cancellationSignal } = Context.current();
  const errors: unknown[] = [];
  for await (const item of items) {
    cancellationSignal.throwIfAborted();
    await work(item).catch((error: unknown) => errors.push(error));
    if (errors.length === MAX_ERRORS) break;
  }
  if (errors.length > 0) throw errors[0];
}
