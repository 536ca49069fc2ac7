/** Middleware of every request: its id, its log line, and its errors as answers. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { messageOf } from '../common/text.ts';
import type { ErrorCode } from '../contract/error-codes.ts';
import { ClientError, RegulatorSessionRequired } from '../domain/client-errors.ts';
import type { DocUrls } from '../http/refused-connections.ts';
import { badRequest, HttpError, sessionRequired } from './http-error.ts';
import type { GatewayMiddleware } from './route.ts';

/** A client's request id is kept only if it cannot break a log line or a header. */
const ACCEPTED_ID = /^[\w.:-]{8,128}$/;

/** Gives every request an id, which the answer and every log line carry. */
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

/** Codes with status 5xx that are due to a package, an operator or other runs, not to a fault of the service. */
const NOT_OURS: readonly ErrorCode[] = ['invalid_package', 'import_cancelled', 'not_started'];

/** SQLSTATE `disk_full` (PostgreSQL, appendix A). */
const DISK_FULL = '53100';

/**
 * PostgreSQL, Temporal or the archive does not answer: errors of sockets, SQLSTATE of a server that stops, crashes,
 * starts or is full of connections, gRPC's DEADLINE_EXCEEDED and UNAVAILABLE, and errors of a directory that is
 * read-only, belongs to somebody else, or is on a broken disk or a lost volume.
 */
const OUTAGE: readonly unknown[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  4,
  14,
  'EROFS',
  'EACCES',
  'EIO',
  'ESTALE',
];

/** Messages of such errors of `pg` and of its pool that have no code. */
const OUTAGE_WITHOUT_CODE = /^(Connection terminated|timeout exceeded when trying to connect)/;

/** Turns errors into answers: the one place that decides which details a client sees. */
export function respondWithErrors(docUrlOf: DocUrls): GatewayMiddleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body == null && ctx.respond !== false) {
        throw new HttpError('unknown_path', `No route has the path ${ctx.path}.`);
      }
    } catch (error) {
      const { log, requestId } = ctx.state;
      const answer = answerFor(error, requestId);
      const { status, code, message } = answer;
      if (status >= 500 && !NOT_OURS.includes(code)) log.error({ err: error, code }, message);
      else log.info({ status, code, reason: reasonOf(answer) }, message);
      ctx.state.errorCode = code;
      ctx.status = status;
      // The handler may have set the tag of an answer that it could not make afterwards.
      ctx.remove('ETag');
      ctx.set({ 'Cache-Control': 'no-store', ...answer.headers });
      ctx.body = { status: 'error', message, data: { code, doc_url: docUrlOf(code), ...answer.data } };
    }
  };
}

/** The message only: errors of libraries carry data such as the claims of a token, which must not be logged. */
function reasonOf({ cause }: HttpError): string | undefined {
  return cause === undefined ? undefined : messageOf(cause);
}

/** Converts anything thrown to an answer. An unknown error becomes 500 without its details. */
function answerFor(error: unknown, requestId: string): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof RegulatorSessionRequired) return sessionRequired(error.message);
  if (error instanceof ClientError) {
    const { code, message, importId } = error;
    return new HttpError(code, message, importId === undefined ? {} : { data: { id: importId } });
  }
  if (isFaultOfClient(error)) return badRequest(error.message);
  const because = (code: ErrorCode, message: string) => new HttpError(code, message, { cause: error });
  if (isDatabaseFull(error))
    return because('storage_full', 'The database is full. Nothing was stored. Try again later.');
  if (isOutage(error))
    return because('temporarily_unavailable', 'A part of the service does not answer. Try again later.');
  return because('internal', `Internal error. Report it with the request id ${requestId}.`);
}

/**
 * Whether a library reports a fault of the client, in the form of `http-errors`: the router for a malformed path, for
 * example.
 */
function isFaultOfClient(error: unknown): error is Error {
  const { status, expose } = (error ?? {}) as { status?: unknown; expose?: unknown };
  return error instanceof Error && expose === true && status === 400;
}

const isDatabaseFull = (error: unknown) => hasCause(error, ({ code }) => code === DISK_FULL);
const isOutage = (error: unknown) =>
  hasCause(error, ({ code, message }) => OUTAGE.includes(code) || OUTAGE_WITHOUT_CODE.test(message));

/** Whether the error or one of its causes matches. Drivers and libraries wrap the server's error. */
function hasCause(error: unknown, matches: (cause: Error & { code?: unknown }) => boolean): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (matches(cause)) return true;
  return false;
}
