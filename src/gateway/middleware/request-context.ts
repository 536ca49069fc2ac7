/** Gives every request an id, which the answer and every log line carry. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { GatewayMiddleware } from '../state.ts';

/** A client's request id is kept only if it cannot break a log line or a header. */
const ACCEPTED_ID = /^[\w.:-]{8,128}$/;

export function requestContext(logger: Logger): GatewayMiddleware {
  return async (ctx, next) => {
    const given = ctx.get('x-request-id');
    const requestId = ACCEPTED_ID.test(given) ? given : randomUUID();
    const log = logger.child({ request_id: requestId });
    ctx.state.requestId = requestId;
    ctx.state.log = log;
    ctx.set('X-Request-Id', requestId);
    const started = performance.now();
    await next();
    // Not `log`: an observer may have added fields to the logger.
    ctx.state.log.info(
      {
        method: ctx.method,
        path: ctx.path,
        status: ctx.status,
        duration_ms: Math.round(performance.now() - started),
        remote_address: ctx.ip,
        client_id: ctx.state.caller?.clientId,
      },
      'request',
    );
  };
}
