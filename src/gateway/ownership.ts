/**
 * An import belongs to the client that sent it (decision §imports-have-an-owner), its products to their submitters
 * (decision §products-belong-to-submitters); operators see all.
 */

import { PERMISSIONS } from '../contract/permissions.ts';
import { NotFound } from '../domain/errors.ts';
import { isOfSubmitters, type Submitters } from '../domain/submitters.ts';
import { missingPermission } from './http-error.ts';
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

/**
 * Whose imports a list shows; undefined for all. Asking for another client's is refused and not answered with nothing, which
 * would pass for the truth; nothing is looked up for it, so that it tells nobody which clients there are.
 *
 * @param asked for, by the query; absent for all that the caller may see
 * @throws HttpError
 */
export function listedClient(caller: Caller, asked: string | undefined): string | undefined {
  if (isOperator(caller)) return asked;
  if (asked !== undefined && asked !== caller.clientId) throw missingPermission(PERMISSIONS.operate);
  return caller.clientId;
}

/** Whose products the caller may see; null for all. */
export function visibleSubmitters(caller: Caller): Submitters {
  return isOperator(caller) ? null : caller.submitters;
}

/**
 * The submission, if the caller may see it: its import is the caller's, and its product one of the caller's submitters.
 *
 * @throws NotFound
 */
export function ownedSubmission<T extends { productId: string }>(
  caller: Caller,
  { submission, record }: { submission: T | null; record: { clientId: string } | null },
  id: number,
): T {
  ownedBy(caller, record, 'Submission', id);
  if (!submission || !isOfSubmitters(visibleSubmitters(caller), submission.productId))
    throw new NotFound('Submission', id);
  return submission;
}
