/**
 * Reads PostgreSQL's `bigint` (ids, sizes, counts) as a number, for MikroORM, Kysely and plain statements alike. The
 * driver returns text.
 */

const INT8 = 20;

/** The part of `pg`'s pool that this module uses. */
interface Pool {
  options: { types: { setTypeParser(type: number, parse: (text: string) => number): void } };
}

export function readInt8AsNumber({ options: { types } }: Pool): void {
  types.setTypeParser(INT8, exactNumber);
}

/** @throws RangeError above 2^53, where a number cannot represent every id */
function exactNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number))
    throw new RangeError(`The database has returned ${text}, which is too large for an exact number`);
  return number;
}
