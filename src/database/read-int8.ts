/**
 * PostgreSQL's `bigint` (ids, sizes, counts) is read as a number, in one place for everything that reads: records of
 * MikroORM, queries of Kysely, plain statements. The driver's own answer is text.
 */

const INT8 = 20;

/** As much of `pg`'s pool as this needs. */
interface Pool {
  options: { types: { setTypeParser(type: number, parse: (text: string) => number): void } };
}

export function readInt8AsNumber({ options: { types } }: Pool): void {
  types.setTypeParser(INT8, exactNumber);
}

/** @throws RangeError beyond 2^53, where a number no longer tells an id from its neighbours */
function exactNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number))
    throw new RangeError(`The database has answered with ${text}, which is too large for a number`);
  return number;
}
