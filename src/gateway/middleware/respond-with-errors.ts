/** Turns errors into answers: the one place that decides which details a client sees. */

import { messageOf } from '../../common/text.ts';
import type { ErrorCode } from '../../contract/error-codes.ts';
import { ClientError, RegulatorSessionRequired } from '../../domain/client-errors.ts';
import { badRequest, databaseFull, HttpError, sessionRequired } from '../http-error.ts';
import type { GatewayMiddleware } from '../state.ts';

/** Codes with status 5xx that are the fault of a package or the wish of an operator, not of the service. */
const NOT_OURS: readonly ErrorCode[] = ['invalid_package', 'import_cancelled'];

/** SQLSTATE `disk_full` (PostgreSQL, appendix A). */
const DISK_FULL = '53100';

export function respondWithErrors(): GatewayMiddleware {
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
      ctx.set(answer.headers);
      ctx.body = { status: 'error', message, data: { code, ...answer.data } };
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
  if (isDatabaseFull(error)) return databaseFull(error);
  const message = `Internal error. Report it with the request id ${requestId}.`;
  return new HttpError('internal', message, { cause: error });
}

/** Whether a library blames the client, in the form of `http-errors`: the router for a malformed path, for example. */
function isFaultOfClient(error: unknown): error is Error {
  const { status, expose } = (error ?? {}) as { status?: unknown; expose?: unknown };
  return error instanceof Error && expose === true && status === 400;
}

/** Whether a statement failed because the database has no room. Drivers and libraries wrap the server's error. */
function isDatabaseFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && cause.code === DISK_FULL) return true;
  return false;
}
