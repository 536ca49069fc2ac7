/** The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header, decision §repeated-uploads). */
import { IDEMPOTENCY_KEY_LENGTH } from '../../contract/limits.ts';
import { idempotencyKey } from '../../contract/schemas/upload.ts';
import type { IdempotencyRepository } from '../../database/repositories/idempotency.ts';
import { badRequest } from '../http-error.ts';
import type { GatewayContext } from '../route.ts';
import type { Caller } from '../tokens/access-token.ts';

export interface UploadKey {
  /** The caller's tenant, also if the import belongs to another one. */
  tenant: string;
  key: string;
  /** Whether the tenant has used the key before. */
  known: boolean;
}

/**
 * Accepts the quoted string of the draft, and the bare key that most clients send.
 *
 * @returns undefined if the request has none
 * @throws HttpError 400
 */
export async function readIdempotencyKey(
  idempotency: Pick<IdempotencyRepository, 'knows'>,
  { tenant }: Caller,
  { headers }: GatewayContext,
): Promise<UploadKey | undefined> {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = String(header)
    .trim()
    .replace(/^"(.*)"$/, '$1');
  if (!idempotencyKey.safeParse(key).success) {
    throw badRequest(
      `The header Idempotency-Key must be given once, with 1 to ${IDEMPOTENCY_KEY_LENGTH} printable ASCII characters and no blanks.`,
    );
  }
  return { tenant, key, known: await idempotency.knows(tenant, key) };
}
