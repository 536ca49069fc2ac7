/** Schemas that several answers share. They validate, type and document (zod-openapi) at once. */
import { z } from 'zod';
import 'zod-openapi';
import { ERROR_CODES, meaningOf } from '../../domain/error-codes.ts';
import { GREATEST_ID, PRODUCT_ID_PATTERN } from '../../domain/ids.ts';

export const timestamp = z.string().meta({
  description: 'ISO 8601, UTC, with milliseconds',
  format: 'date-time',
  example: '2026-01-31T12:00:00.000Z',
});

export const idParams = z.object({
  id: z.coerce.number().int().positive().max(GREATEST_ID).meta({ description: 'Identifier', example: 1 }),
});

export const productIdText = z
  .string()
  .regex(PRODUCT_ID_PATTERN, 'must be a product ID, such as 99962-22-00003')
  .meta({ example: '99962-22-00003' });

/** PostgreSQL knows no NUL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: written so, every reader of the description knows it
export const WITHOUT_NUL = /^[^\u0000]*$/;

export const plainText = z.string().max(500).regex(WITHOUT_NUL, 'must not contain NUL');

/** What somebody looks for. */
export const searchedText = plainText.min(1);

/** Dates that a database knows as well as JavaScript, a day later included. */
const KNOWN_YEAR = /^(?:19[7-9][0-9]|[2-8][0-9]{3}|9[0-8][0-9]{2}|99[0-8][0-9]|999[0-8])-/;
const yearFault = 'must be of the years 1970 to 9998';

export const day = z.iso
  .date()
  .regex(KNOWN_YEAR, yearFault)
  .meta({ description: 'A day, UTC', example: '2026-01-31' });

/** The part of time that a list is about. */
const dayOrMoment = z.union([day, z.iso.datetime({ offset: true }).regex(KNOWN_YEAR, yearFault)], {
  error: 'must be a day, 2026-01-31, or a moment, 2026-01-31T12:00:00Z',
});

const DAY_MS = 24 * 60 * 60 * 1000;

/** To be spread into the query of a list. Both become moments, of which `to` is not part of the list any more. */
export const timeQuery = {
  from: dayOrMoment
    .transform((text) => new Date(text))
    .optional()
    .meta({ description: 'A day, UTC, or a moment: what came then or later' }),
  to: dayOrMoment
    .transform((text) => new Date(day.safeParse(text).success ? Date.parse(text) + DAY_MS : text))
    .optional()
    .meta({ description: 'A day, UTC, itself included; or a moment, before which it came' }),
};

/** To be given to `refine`. */
export const IN_ORDER = { error: '`from` must not be later than `to`', path: ['from'] };

const PAGE = 50;
const MAX_PAGE = 200;

/** The part of a list, newest first, that is asked for. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
  before: z.coerce
    .number()
    .int()
    .positive()
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: 'Only what has a smaller id: `next_before` of the last page' }),
});

export const nextBefore = z
  .int()
  .nullable()
  .meta({ description: '`before` of the next page; null: no more' });

/**
 * A page out of records that were asked for with one more than its limit, and where the next one begins.
 */
export function pageOf<T extends { id: number }>(records: T[], limit: number) {
  const page = records.slice(0, limit);
  return { page, next_before: records.length > limit ? (page.at(-1)?.id ?? null) : null };
}

export const errorEnvelope = z
  .object({
    status: z.literal('error'),
    message: z.string().meta({ description: 'What was wrong, where, and what to do' }),
    data: z.looseObject({
      code: z.enum(ERROR_CODES).meta({
        description: `What programs tell errors apart by:\n${ERROR_CODES.map((code) => `- \`${code}\`: ${meaningOf(code)}`).join('\n')}`,
      }),
      id: z.int().optional().meta({ description: 'Of the import that it is about, where there is one' }),
    }),
  })
  .meta({ id: 'Error', description: 'Every error of the gateway' });

/** The envelope of an answer with data (interface §2.3). */
export function envelope(httpStatus: number, data: z.ZodType): z.ZodType {
  return z.object({ status: z.literal(httpStatus < 400 ? 'success' : 'error'), message: z.string(), data });
}
