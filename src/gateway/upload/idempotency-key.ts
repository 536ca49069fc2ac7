/**
 * The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). A client that lost the answer repeats the
 * request under the same key and gets the first answer.
 */
import { IDEMPOTENCY_KEY_LENGTH } from '../../contract/limits.ts';
import { idempotencyKey } from '../../contract/schemas/upload.ts';
import type { IdempotencyRepository } from '../../database/repositories/idempotency.ts';
import { badRequest } from '../http-error.ts';
import { callerIn, type GatewayMiddleware } from '../state.ts';

/** Sets `ctx.state.uploadKey`. */
export function readIdempotencyKey(idempotency: Pick<IdempotencyRepository, 'knows'>): GatewayMiddleware {
  return async (ctx, next) => {
    const header = ctx.get('idempotency-key');
    if (header !== '') {
      const key = validKey(header);
      const { clientId } = callerIn(ctx.state);
      ctx.state.uploadKey = { key, known: await idempotency.knows(clientId, key) };
    }
    await next();
  };
}

/** Accepts the quoted string of the draft, and the bare key that most clients send. */
function validKey(header: string): string {
  const key = header.trim().replace(/^"(.*)"$/, '$1');
  if (key === '' || !idempotencyKey.safeParse(key).success) {
    throw badRequest(
      `The header Idempotency-Key must be given once, with 1 to ${IDEMPOTENCY_KEY_LENGTH} printable ASCII characters and no blanks.`,
    );
  }
  return key;
}
