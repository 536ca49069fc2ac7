/**
 * Ownership. An import belongs to the client that sent it (decision §imports-have-an-owner). A product belongs to its
 * submitter (decision §products-belong-to-submitters). Operators see everything.
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
 * The record, if the caller may see it.
 *
 * @throws NotFound also for another client's record, so that the caller does not learn that it exists
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
 * The client whose imports a list shows; undefined for all clients. A request for another client's imports is refused: an
 * empty list would be mistaken for the truth. The refusal looks nothing up, so it does not tell which clients exist.
 *
 * @param asked the client named by the query; undefined for everything that the caller may see
 * @throws HttpError
 */
export function listedClient(caller: Caller, asked: string | undefined): string | undefined {
  if (isOperator(caller)) return asked;
  if (asked !== undefined && asked !== caller.clientId) throw missingPermission(PERMISSIONS.operate);
  return caller.clientId;
}

/** The submitters whose products the caller may see; null for all. */
export function visibleSubmitters(caller: Caller): Submitters {
  return isOperator(caller) ? null : caller.submitters;
}

/**
 * The submission, if its import belongs to the caller and its product to one of the caller's submitters.
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
