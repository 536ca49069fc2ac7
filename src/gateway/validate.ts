/** Reads the parts of a request, and validates them by the schemas that also describe it. */
import { bodyParser } from '@koa/bodyparser';
import type { Context } from 'koa';
import pTimeout from 'p-timeout';
import type { z } from 'zod';
import { sendContinue } from '../http/lingering-close.ts';
import { badRequest, HttpError } from './http-error.ts';
import type { GatewayContext } from './route.ts';

/** Names of types in messages. All numbers of the interface are whole. */
const TYPES: Readonly<Record<string, string>> = {
  number: 'a whole number',
  int: 'a whole number',
  string: 'text',
  object: 'an object',
};

const FORMATS: Readonly<Record<string, string>> = {
  date: 'must be a day such as 2026-01-31',
  uuid: 'must be a UUID such as 01998d2c-6f00-7000-8000-000000000011',
};

/** Messages for zod's own checks, in the style of all other messages. Undefined to use zod's message. */
const wordsOf: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${TYPES[issue.expected] ?? `a ${issue.expected}`}`;
    case 'too_small':
      if (issue.origin !== 'string')
        return `must be at least ${Number(issue.minimum) + (issue.inclusive ? 0 : 1)}`;
      return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} characters`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'invalid_format':
      return FORMATS[issue.format];
    default:
      return undefined;
  }
};

/**
 * @param where part of the request, for the message
 * @param words messages for some faults, instead of the usual ones
 * @throws HttpError 400 that names every fault
 */
export function valid<T>(
  schema: z.ZodType<T>,
  value: unknown,
  where: 'path' | 'query' | 'body',
  words: z.core.$ZodErrorMap = () => undefined,
): T {
  const parsed = schema.safeParse(value ?? {}, { error: (issue) => words(issue) ?? wordsOf(issue) });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
  throw badRequest(`The ${where} is invalid: ${[...new Set(faults)].join('; ')}.`);
}

/**
 * Makes a reader of queries. An unknown parameter is refused: `?stauts=failed` would show everything, and `?dryrun=true`
 * would import for real.
 *
 * @param query the route's schema
 */
export function queryReader(query: z.ZodObject): (sent: Readonly<Record<string, unknown>>) => unknown {
  const strict = query.strict();
  const names = Object.keys(query.shape);
  const known =
    names.length === 0 ? 'the request has no parameters' : `the parameters are ${names.join(', ')}`;
  const unknown: z.core.$ZodErrorMap = (issue) => {
    if (issue.code !== 'unrecognized_keys') return undefined;
    const faults = issue.keys.map((name) => JSON.stringify(name)).join(', ');
    return `${faults} ${issue.keys.length > 1 ? 'are' : 'is'} unknown; ${known}`;
  };
  return (sent) => {
    const repeated: z.core.$ZodErrorMap = ({ path: [name] = [] }) =>
      Array.isArray(sent[String(name)]) ? 'must be given once' : undefined;
    return valid(strict, sent, 'query', (issue) => unknown(issue) ?? repeated(issue));
  };
}

/** Size of a JSON body, and the time in which it has to arrive. An upload has an idle timeout of its own. */
const JSON_LIMIT = '64kb';
const JSON_TIME_MS = 30_000;

const parseJson = bodyParser({ enableTypes: ['json'], jsonLimit: JSON_LIMIT, jsonStrict: false });

/** Reads a JSON body. @throws HttpError 400, 408, 413 */
export async function jsonBody(ctx: GatewayContext): Promise<unknown> {
  if (ctx.is('json') === false) throw badRequest('The body must be application/json.');
  sendContinue(ctx.req, ctx.res);
  const late = new HttpError('request_timeout', `The body did not arrive within ${JSON_TIME_MS / 1000} s.`);
  const parsed = parseJson(ctx as unknown as Context, async () => {});
  try {
    await pTimeout(parsed, { milliseconds: JSON_TIME_MS, message: late });
  } catch (error) {
    if (error === late) throw error;
    if ((error as { status?: number }).status === 413)
      throw new HttpError('body_too_large', `The JSON body is larger than ${JSON_LIMIT}.`);
    throw badRequest('The body is not valid JSON.');
  }
  return (ctx.request as { body?: unknown }).body;
}
