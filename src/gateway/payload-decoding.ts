/**
 * Makes encrypted payloads readable in the Temporal Web UI: its "codec endpoint", to be set to the gateway's address
 * with `/temporal`. The browser of an operator asks; the Web UI has to pass on the operator's access token.
 */
import Router from '@koa/router';
import type { Payload, PayloadCodec } from '@temporalio/common';
import type { Middleware } from 'koa';
import { z } from 'zod';
import { PERMISSIONS } from '../domain/permissions.ts';
import { badRequest } from './http-error.ts';
import { jsonBody } from './middleware/json-body.ts';
import { requirePermission } from './middleware/require-permission.ts';
import type { GatewayMiddleware, GatewayState } from './state.ts';

export interface PayloadDecoding {
  codec: PayloadCodec;
  /** The one origin whose pages may ask. */
  origin: string;
}

const PATH = '/temporal/decode';
/** A page of a history. */
const BODY_LIMIT = '16mb';

/** Payloads in the JSON of protocol buffers: bytes are base64. */
const bytes = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));
const body = z.object({
  payloads: z.array(
    z.object({ metadata: z.record(z.string(), bytes).optional(), data: bytes.optional() }).loose(),
  ),
});

/** @param protect finds out `caller`, or refuses */
export function payloadDecoding(
  { codec, origin }: PayloadDecoding,
  protect: readonly GatewayMiddleware[],
  basePath: string,
): GatewayMiddleware {
  const router = new Router<GatewayState>({ prefix: basePath });
  const allowOrigin = allowOnly(origin);
  router.options(PATH, allowOrigin, (ctx) => {
    ctx.set({
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Namespace',
    });
    ctx.status = 204;
  });
  router.post(
    PATH,
    allowOrigin,
    ...protect,
    requirePermission(PERMISSIONS.operate),
    jsonBody(BODY_LIMIT),
    async (ctx) => {
      const parsed = body.safeParse((ctx.request as { body?: unknown }).body);
      if (!parsed.success) throw badRequest('The body must be {"payloads": [...]}, as the Web UI sends it.');
      const decoded = await decode(codec, parsed.data.payloads as Payload[]);
      ctx.body = { payloads: decoded.map(jsonOf) };
    },
  );
  return router.routes() as GatewayMiddleware;
}

function allowOnly(origin: string): Middleware {
  return async (ctx, next) => {
    ctx.vary('Origin');
    if (ctx.get('origin') === origin) {
      ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Credentials': 'true' });
    }
    await next();
  };
}

async function decode(codec: PayloadCodec, payloads: Payload[]): Promise<Payload[]> {
  try {
    return await codec.decode(payloads);
  } catch {
    throw badRequest(
      'A payload cannot be decrypted: its key is not in TEMPORAL_PAYLOAD_KEYS, or it was changed.',
    );
  }
}

function jsonOf({ metadata, data }: Payload) {
  const base64 = (value: Uint8Array | null | undefined) => Buffer.from(value ?? []).toString('base64');
  return {
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]),
    ),
    data: base64(data),
  };
}
