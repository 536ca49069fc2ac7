/** Names the tenant of a token: the owner of records (decision §imports-have-an-owner). */
import { hash } from 'node:crypto';
import type { Submitters } from '../../domain/product.ts';

/** No client id contains it: they are printable ASCII. */
const SEPARATOR = '·';

/**
 * The name of a tenant: the client id, followed by a digest of the submitters unless all are meant. Order and repetition
 * of the submitters do not matter.
 *
 * @param submitters of the access token; null for all
 */
export function tenantOf(clientId: string, submitters: Submitters): string {
  if (submitters === null) return clientId;
  const set = [...new Set(submitters)].sort();
  return clientId + SEPARATOR + hash('sha256', set.join(' '));
}
