/**
 * The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a client that lost the answer
 * sends the same request under the same key again and gets the first answer.
 */
import { z } from 'zod';
import type { IdempotencyRepository } from '../../database/repositories/idempotency.ts';
import { IDEMPOTENCY_KEY_CHARACTERS, IDEMPOTENCY_KEY_LENGTH } from '../../domain/idempotency-key.ts';
import { badRequest } from '../http-error.ts';
import { callerIn, type GatewayMiddleware } from '../state.ts';

const keyText = z.string().max(IDEMPOTENCY_KEY_LENGTH).regex(IDEMPOTENCY_KEY_CHARACTERS);

/** For the description of the API. An empty header counts as none. */
export const idempotencyHeaders = z.object({
  'Idempotency-Key': keyText.optional().meta({
    description:
      'Chosen by the client, e.g. a UUID. The same request under the same key within a day gets the first ' +
      'answer and imports nothing again.',
    example: '1a2c1f8e-6f6b-4c8e-9d5d-0f2c4b8d9a10',
  }),
});

/** Finds out `uploadKey`. */
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

/** The draft's form is a quoted string; most clients send it bare. */
function validKey(header: string): string {
  const key = header.trim().replace(/^"(.*)"$/, '$1');
  if (key === '' || !keyText.safeParse(key).success) {
    throw badRequest(
      `The header Idempotency-Key must be given once, with 1 to ${IDEMPOTENCY_KEY_LENGTH} printable ASCII characters and no blanks.`,
    );
  }
  return key;
}
