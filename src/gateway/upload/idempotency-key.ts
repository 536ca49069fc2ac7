/**
 * The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a client that lost the answer
 * sends the same request under the same key again and gets the first answer.
 */
import type { Middleware } from 'koa';
import { z } from 'zod';
import type { IdempotencyRepository } from '../../database/repositories/idempotency.ts';
import { badRequest } from '../http-error.ts';
import type { Caller } from '../tokens/authenticate.ts';

/** What a request with the header leaves in `ctx.state.idempotency`. */
export interface RequestKey {
  key: string;
  /** Whether the client has used the key before. */
  known: boolean;
}

const MAX_LENGTH = 255;

/** For the description of the API. An empty header counts as none. */
export const idempotencyHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .max(MAX_LENGTH)
    .regex(/^[\x21-\x7e]*$/)
    .optional()
    .meta({
      description:
        'Chosen by the client, e.g. a UUID. The same request under the same key within a day gets the first ' +
        'answer and imports nothing again.',
      example: '1a2c1f8e-6f6b-4c8e-9d5d-0f2c4b8d9a10',
    }),
});

export function readIdempotencyKey(idempotency: Pick<IdempotencyRepository, 'knows'>): Middleware {
  return async (ctx, next) => {
    const header = ctx.get('idempotency-key');
    if (header !== '') {
      const key = validKey(header);
      const { clientId } = ctx.state.caller as Caller;
      ctx.state.idempotency = {
        key,
        known: await idempotency.knows(clientId, key),
      } satisfies RequestKey;
    }
    await next();
  };
}

/** The draft's form is a quoted string; most clients send it bare. */
function validKey(header: string): string {
  const key = header.trim().replace(/^"(.*)"$/, '$1');
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > MAX_LENGTH) {
    throw badRequest(
      `The header Idempotency-Key must be given once, with 1 to ${MAX_LENGTH} printable ASCII characters and no blanks.`,
    );
  }
  return key;
}
