/** Turns errors into answers: the one place that decides which details a client sees. */

import type { ErrorCode } from '../../contract/error-codes.ts';
import { isDatabaseFull } from '../../domain/database-full.ts';
import { DomainError, messageOf, RegulatorSessionRequired } from '../../domain/errors.ts';
import { badRequest, databaseFull, HttpError, sessionRequired } from '../http-error.ts';
import type { GatewayMiddleware } from '../state.ts';

/** Codes with status 5xx that are the fault of a package or the wish of an operator, not of the service. */
const NOT_OURS: readonly ErrorCode[] = ['invalid_package', 'import_cancelled', 'import_failed'];

export function respondWithErrors(): GatewayMiddleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body == null && ctx.respond !== false) {
        throw new HttpError('unknown_path', `There is nothing at ${ctx.method} ${ctx.path}.`);
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
  if (error instanceof DomainError && error.code !== 'internal') {
    const { code, message, importId } = error;
    return new HttpError(code, message, importId === undefined ? {} : { data: { id: importId } });
  }
  if (isFaultOfClient(error)) return badRequest(error.message);
  if (isDatabaseFull(error)) return databaseFull(error);
  const message = `Internal error. Quote the request id ${requestId} when you ask for help.`;
  return new HttpError('internal', message, { cause: error });
}

/** Whether a library blames the client, in the form of `http-errors`: the router for a malformed path, for example. */
function isFaultOfClient(error: unknown): error is Error {
  const { status, expose } = (error ?? {}) as { status?: unknown; expose?: unknown };
  return error instanceof Error && expose === true && status === 400;
}
