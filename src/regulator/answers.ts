/** Answers of the regulator: their documents, and the error of each status (docs/regulator-api.md, "Errors"). */
import { z } from 'zod';
import { retryAfterSeconds } from '../common/network.ts';
import { excerpt, messageOf } from '../common/text.ts';
import {
  RegulatorRateLimited,
  RegulatorSessionRequired,
  RegulatorUnavailable,
} from '../domain/client-errors.ts';
import { RegulatorRejection } from './port.ts';
import type { RegulatorRequest, RegulatorResponse } from './send.ts';

const DEFAULT_RETRY_AFTER_S = 5;
/** Upper limit of `Retry-After`: a day. A longer value is an error, for example of a wrong clock. */
const LONGEST_RETRY_AFTER_S = 24 * 60 * 60;

const errorAnswer = z.object({
  error: z.string().optional(),
  reasons: z.array(z.object({ path: z.string().optional(), message: z.string() })).optional(),
});

export interface AnsweredCall {
  method: RegulatorRequest['method'];
  path: string;
  /** Path of the section that was sent, for the reasons of a rejection. */
  sectionPath?: string;
}

/** Whether the call is answered as expected. */
export const isSuccess = ({ status }: RegulatorResponse) => status >= 200 && status < 300;

/** The error of an answer other than 2xx (docs/regulator-api.md, "Errors"). */
export function failureOf(response: RegulatorResponse, { method, path, sectionPath }: AnsweredCall): Error {
  const { error, reasons } = parsedError(response.text);
  switch (response.status) {
    case 401:
      return new RegulatorSessionRequired(
        `The regulator no longer accepts the session${error === undefined ? '' : ` (${error})`}.`,
      );
    case 429:
      return new RegulatorRateLimited(retryAfter(response) ?? DEFAULT_RETRY_AFTER_S);
    case 400:
    case 404:
    case 409:
    case 422:
    // RFC 6585 §5: the name or the content type of an attachment is too long, and remains so.
    case 431:
      return new RegulatorRejection(reasons ?? [error ?? `HTTP ${response.status}`], sectionPath);
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      // Following it would send our password or session to its target.
      return new RegulatorUnavailable(
        `The regulator answered ${method} ${path} with a redirect, which is not followed: check REGULATOR_URL`,
      );
    default: {
      const detail = error ?? excerpt(response.text, 120);
      return new RegulatorUnavailable(
        `The regulator answered ${method} ${path} with ${response.status}${detail ? `: ${detail}` : ''}`,
        retryAfter(response),
      );
    }
  }
}

function parsedError(text: string): { error?: string; reasons?: string[] } {
  try {
    const { error, reasons } = errorAnswer.parse(JSON.parse(text));
    return {
      ...(error !== undefined && { error: excerpt(error, 300) }),
      ...(reasons?.length && {
        reasons: reasons.map(({ path, message }) => excerpt(path ? `${path}: ${message}` : message, 300)),
      }),
    };
  } catch {
    return {};
  }
}

/** `Retry-After` in seconds, within limits; undefined without the header. */
function retryAfter({ headers }: RegulatorResponse): number | undefined {
  const seconds = retryAfterSeconds(headers);
  return seconds === null ? undefined : Math.min(Math.max(1, seconds), LONGEST_RETRY_AFTER_S);
}

/** @throws RegulatorUnavailable if the answer is no such document */
export function parseAnswer<T>(
  { text }: RegulatorResponse,
  answer: z.ZodType<T>,
  { method, path }: AnsweredCall,
): T {
  try {
    return answer.parse(JSON.parse(text));
  } catch (error) {
    throw new RegulatorUnavailable(
      `The regulator answered ${method} ${path} with an unexpected document: ${excerpt(messageOf(error), 200)}`,
    );
  }
}
