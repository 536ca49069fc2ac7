/** Schemas that several answers share. They validate, type and document (zod-openapi) at once. */
import { z } from 'zod';
import 'zod-openapi';

export const timestamp = z.string().meta({
  description: 'ISO 8601, UTC, with milliseconds',
  format: 'date-time',
  example: '2026-01-31T12:00:00.000Z',
});

export const idParams = z.object({
  id: z.coerce.number().int().positive().max(2_147_483_647).meta({ description: 'Identifier', example: 1 }),
});

export const errorEnvelope = z
  .object({
    status: z.literal('error'),
    message: z.string().meta({ description: 'What was wrong, where, and what to do' }),
    data: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Error', description: 'Every error of the gateway' });

/** The envelope of an answer with data (interface §2.3). */
export function envelope(httpStatus: number, data: z.ZodType): z.ZodType {
  return z.object({ status: z.literal(httpStatus < 400 ? 'success' : 'error'), message: z.string(), data });
}
