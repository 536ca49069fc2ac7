/** An import belongs to the client that sent it; operators see all (architecture §imports-have-an-owner). */
import { NotFound } from '../domain/errors.ts';
import { PERMISSIONS } from '../domain/permissions.ts';
import type { Caller } from './tokens/authenticate.ts';

export function isOperator({ permissions }: Caller): boolean {
  return permissions.has(PERMISSIONS.operate);
}

/**
 * The record, if the caller may see it. What belongs to others does not exist for it.
 *
 * @throws NotFound
 */
export function ownedBy<T extends { clientId: string }>(
  caller: Caller,
  record: T | null,
  what: string,
  id: number,
): T {
  if (!record || (record.clientId !== caller.clientId && !isOperator(caller))) throw new NotFound(what, id);
  return record;
}
