/** Schemas that several operations share. Each validates, types and documents (zod-openapi). */
import 'zod-openapi';
import { z } from 'zod';
import { STRUCTURE_CODES } from '../commission-codes.ts';
import { aboutError, ERROR_CODES } from '../error-codes.ts';
import {
  DEFAULT_PAGE,
  GREATEST_ID,
  GREATEST_PAGE,
  PRODUCT_ID_PATTERN,
  SEARCHED_TEXT_LENGTH,
} from '../limits.ts';

/** An object with a field for each name. */
export function eachOf<Name extends string, Schema extends z.ZodType>(
  names: readonly Name[],
  schema: Schema,
) {
  return z.object(Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>);
}

export const timestamp = z.string().meta({
  description: 'ISO 8601, UTC, with milliseconds',
  format: 'date-time',
  example: '2026-01-31T12:00:00.000Z',
});

/** A whole number in a path or a query: in digits, unlike `1e0` or `0x1`. */
export function digits(least: number, greatest: number) {
  const numberIn = (text: number) => (/^[0-9]+$/.test(String(text)) ? Number(text) : text);
  return z.preprocess(numberIn, z.int().min(least).max(greatest));
}

export const identifier = digits(1, GREATEST_ID);

export const idParams = z.object({ id: identifier.meta({ description: 'Identifier', example: 1 }) });

export const productIdText = z
  .string()
  .regex(PRODUCT_ID_PATTERN, 'must be a product ID, such as 99962-22-00003')
  .meta({ example: '99962-22-00003' });

/** PostgreSQL cannot store NUL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: written so, every reader of the description knows it
export const WITHOUT_NUL = /^[^\u0000]*$/;

/** More than blanks. Engines differ in whether `\s` contains the two characters beside it. */
export const NOT_BLANK = /[^\s\u0085\ufeff]/;

/** A text that PostgreSQL can store. JSON may contain one half of a surrogate pair, which UTF-8 cannot. */
export const storableText = z
  .string()
  .regex(WITHOUT_NUL, 'must not contain NUL')
  .refine((text) => text.isWellFormed(), 'must be valid Unicode');

export const plainText = storableText.max(SEARCHED_TEXT_LENGTH);

/** Filter of a list by client. */
export const clientText = plainText.optional().meta({
  description: 'Only records of this client. Only operators may name another client than their own',
});

/** Description of the error 403 of a list that has `clientText`. */
export const FORBIDDEN =
  "The token lacks the route's permission, or the caller is no operator and names another client";

/** A search text. */
export const searchedText = plainText.min(1);

/** Years that both PostgreSQL and JavaScript support, also for the following day. */
const KNOWN_YEAR = /^(?:19[7-9][0-9]|[2-8][0-9]{3}|9[0-8][0-9]{2}|99[0-8][0-9]|999[0-8])-/;

export const day = z.iso
  .date()
  .regex(KNOWN_YEAR, 'must be in the years 1970 to 9998')
  .meta({ description: 'A day, UTC', example: '2026-01-31' });

/** A yes or no in a query. */
export const trueOrFalse = z.enum(['true', 'false']).transform((text) => text === 'true');

/** A bound of a list's time range. */
export const dayOrMoment = z.union([day, z.iso.datetime({ offset: true }).regex(KNOWN_YEAR)], {
  error:
    'must be a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z, in the years 1970 to 9998',
});

const DAY_MS = 24 * 60 * 60 * 1000;

/** Time range, to be spread into the query of a list. Both bounds become moments; `to` is exclusive. */
export const timeQuery = {
  from: dayOrMoment
    .transform((text) => new Date(text))
    .optional()
    .meta({ description: 'Start of the range: a day in UTC, or a time' }),
  to: dayOrMoment
    .transform((text) => new Date(day.safeParse(text).success ? Date.parse(text) + DAY_MS : text))
    .optional()
    .meta({ description: 'End of the range: a day in UTC (inclusive), or a time (exclusive)' }),
};

/** Options for `refine`. */
export const IN_ORDER = { error: 'must not be later than `to`', path: ['from'] };

/** Pagination of a list, newest first. */
export const pageQuery = z.object({
  limit: digits(1, GREATEST_PAGE).prefault(DEFAULT_PAGE),
  before: identifier
    .optional()
    .meta({ description: 'Only entries after the one with this id; `next_before` of the previous page' }),
});

export const nextBefore = z
  .int()
  .nullable()
  .meta({ description: '`before` of the next page; null on the last page' });

/** As `nextBefore`, in a list whose entries are not in the order of their ids. */
export const nextPlace = z.string().nullable().meta({ description: nextBefore.meta()?.description });

/** URL of the page about an error code. */
export const docUrl = z.string().meta({
  description:
    'The page about the code: what it means, what to do, whether to repeat. Absolute if PUBLIC_URL is configured, else a path',
  example: '/api/doc/errors#not_found',
});

export const errorEnvelope = z
  .object({
    status: z.literal('error'),
    message: z.string().meta({ description: 'The problem, its place, and the next step' }),
    data: z.looseObject({
      code: z.enum(ERROR_CODES).meta({
        description: `The error code, for programs:\n${ERROR_CODES.map((code) => `- \`${code}\`: ${aboutError(code).meaning}`).join('\n')}`,
      }),
      doc_url: docUrl,
      id: z.int().optional().meta({ description: 'The import that the error concerns, if there is one' }),
    }),
  })
  .meta({ id: 'Error', description: 'Answer of the gateway to a request that failed' });

/** The envelope of an answer with data (interface §2.3). */
export function envelope(httpStatus: number, data: z.ZodType): z.ZodType {
  return z.object({ status: z.literal(httpStatus < 400 ? 'success' : 'error'), message: z.string(), data });
}

/** Why a file or a product failed, or what a warning is about. */
export const reason = z
  .object({
    path: z.string().nullable().meta({
      description:
        'Path of the element in the product file, without the root element. Repeated elements are numbered by name. Null if the problem concerns no element',
      example: 'Product/Presentations/Presentation[2]/LaunchDate',
    }),
    line: z.int().nullable().meta({ description: 'Line in the file, from 1; null if it is not known' }),
    check: z
      .string()
      .nullable()
      .meta({ description: 'Name of the product check that found it; null for none. Checks may be added' }),
    text: z
      .string()
      .meta({ description: 'The problem. It names its subject, and the value unless that is confidential' }),
    commission_code: z.enum(Object.values(STRUCTURE_CODES)).optional().meta({
      description:
        "Code with which the Commission's gateway would report the fault. Only for a fault that its public list names",
    }),
  })
  .meta({ id: 'Reason' });

export type Reason = z.infer<typeof reason>;
