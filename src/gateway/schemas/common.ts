/** Schemas that several answers share. They validate, type and document (zod-openapi) at once. */
import { z } from 'zod';
import 'zod-openapi';
import { ERROR_CODES, meaningOf } from '../../domain/error-codes.ts';

export const timestamp = z.string().meta({
  description: 'ISO 8601, UTC, with milliseconds',
  format: 'date-time',
  example: '2026-01-31T12:00:00.000Z',
});

export const idParams = z.object({
  id: z.coerce.number().int().positive().max(2_147_483_647).meta({ description: 'Identifier', example: 1 }),
});

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
