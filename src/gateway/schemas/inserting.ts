import { z } from 'zod';
import { timestamp } from './common.ts';

export const inserting = z
  .object({
    paused: z.boolean(),
    reason: z.string().nullable(),
    /** Who has paused it, as in the audit trail. */
    paused_by: z.string().nullable(),
    paused_at: timestamp.nullable(),
  })
  .meta({ id: 'Inserting' });

export const pause = z.object({
  reason: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(500)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: one line, which stands in logs and in the Web UI
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'must be one line')
    .meta({
      description: 'Shown to everybody who wonders why nothing moves',
      example: 'the regulator asked for quiet',
    }),
});

export type InsertingJson = z.infer<typeof inserting>;
