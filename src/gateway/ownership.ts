/** Ownership. A record belongs to the tenant that sent it (decision §imports-have-an-owner). Operators see everything. */

import { PERMISSIONS } from '../contract/permissions.ts';
import type { OwnerFilter } from '../database/conditions.ts';
import { NotFound } from '../domain/client-errors.ts';
import { missingPermission } from './http-error.ts';
import type { Caller } from './tokens/access-token.ts';

export function isOperator({ permissions }: Caller): boolean {
  return permissions.has(PERMISSIONS.operate);
}

/**
 * The record, if the caller may see it.
 *
 * @throws NotFound also for another tenant's record, so that the caller does not learn that it exists
 */
export function ownedBy<T extends { tenant: string }>(
  caller: Caller,
  record: T | null,
  what: string,
  id: number,
): T {
  if (!record || (record.tenant !== caller.tenant && !isOperator(caller))) throw new NotFound(what, id);
  return record;
}

/**
 * The records that a list shows. A request for another client's records is refused: an empty list would be mistaken for
 * the truth. The refusal looks nothing up, so it does not tell which clients exist.
 *
 * @param askedClient the client named by the query; undefined for everything that the caller may see
 * @throws HttpError
 */
export function listedFor(caller: Caller, askedClient?: string): OwnerFilter {
  if (isOperator(caller)) return { clientId: askedClient };
  if (askedClient !== undefined && askedClient !== caller.clientId)
    throw missingPermission(PERMISSIONS.operate);
  return { tenant: caller.tenant };
}
