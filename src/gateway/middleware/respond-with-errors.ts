/** The one place that decides what a caller may learn of an error. */
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import {
  ImportFailed,
  InvalidPackage,
  messageOf,
  NotFound,
  RegulatorLoginRefused,
  RegulatorRateLimited,
  RegulatorSessionRequired,
  RegulatorUnavailable,
  WrongVerificationCode,
} from '../../domain/errors.ts';
import { HttpError, sessionRequired } from '../http-error.ts';

export function respondWithErrors(logger: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body == null && ctx.respond !== false) {
        throw new HttpError(404, `There is nothing at ${ctx.method} ${ctx.path}.`);
      }
    } catch (error) {
      const answer = answerFor(error, ctx.state.requestId as string);
      const log = (ctx.state.log as Logger | undefined) ?? logger;
      if (isOurs(error, answer)) log.error({ err: error }, answer.message);
      else log.info({ status: answer.status, reason: reasonOf(answer) }, answer.message);
      ctx.status = answer.status;
      ctx.set(answer.headers);
      ctx.body = { status: 'error', message: answer.message, ...(answer.data && { data: answer.data }) };
    }
  };
}

/** A fault that an operator should look at. A package that cannot be read is a 500 too (interface §7). */
function isOurs(error: unknown, { status }: HttpError): boolean {
  return status >= 500 && !isPackageFault(error);
}

function isPackageFault(error: unknown): error is Error {
  return error instanceof InvalidPackage || error instanceof ImportFailed;
}

/** The message alone: errors of libraries carry what they were about, such as the claims of a token. */
function reasonOf({ cause }: HttpError): string | undefined {
  return cause === undefined ? undefined : messageOf(cause);
}

/** From anything thrown to an answer. What is not known becomes 500 without its details. */
export function answerFor(error: unknown, requestId: string): HttpError {
  if (error instanceof HttpError) return error;
  if (isPackageFault(error)) return new HttpError(500, error.message);
  if (error instanceof NotFound) return new HttpError(404, `${error.message}.`);
  if (error instanceof WrongVerificationCode) return new HttpError(400, error.message);
  if (error instanceof RegulatorSessionRequired) return sessionRequired(error.message);
  if (error instanceof RegulatorLoginRefused) return new HttpError(502, error.message);
  if (error instanceof RegulatorRateLimited || error instanceof RegulatorUnavailable)
    return new HttpError(502, error.message);
  const { status, expose, message } = (error ?? {}) as {
    status?: unknown;
    expose?: unknown;
    message?: unknown;
  };
  if (expose === true && typeof status === 'number' && typeof message === 'string')
    return new HttpError(status, message);
  return new HttpError(500, `Internal error. Quote the request id ${requestId} when you ask for help.`, {
    cause: error,
  });
}
