import { z } from 'zod';
import { PAUSE_REASON_LENGTH } from '../limits.ts';
import { timestamp } from './common.ts';
import { describe } from './operation.ts';

const inserting = z
  .object({
    paused: z.boolean(),
    reason: z.string().nullable(),
    paused_by: z.string().nullable(),
    paused_at: timestamp.nullable(),
  })
  .meta({ id: 'Inserting' });

const pause = z.object({
  reason: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(PAUSE_REASON_LENGTH)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: one line, which stands in logs and in the Web UI
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'must be one line')
    .meta({
      description: 'Reason for the pause. Every waiting run shows it',
      example: 'maintenance at the regulator',
    }),
});

export type Inserting = z.infer<typeof inserting>;

const tag = 'Inserting';

export const getInserting = describe('getInserting', {
  tag,
  summary: 'Get whether inserting is paused',
  answers: { 200: { description: 'The state of inserting', data: inserting } },
});

export const postInsertingPause = describe('postInsertingPause', {
  tag,
  summary: 'Pause inserting',
  description:
    'Workers finish the running steps. A second later they begin no further steps. Uploads are answered as usual, and ' +
    'their products are queued. Every waiting run shows the reason.',
  body: pause,
  answers: { 200: { description: 'Inserting is paused', data: inserting } },
});

export const postInsertingResume = describe('postInsertingResume', {
  tag,
  summary: 'Resume inserting',
  answers: { 200: { description: 'Inserting is resumed', data: inserting } },
});
