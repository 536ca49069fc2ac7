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
      description: 'Shown to everybody who wonders why nothing moves',
      example: 'the regulator asked for quiet',
    }),
});

export type Inserting = z.infer<typeof inserting>;

const tag = 'Inserting';

export const getInserting = describe('getInserting', {
  tag,
  summary: 'Whether products are being inserted, or everything is paused',
  answers: { 200: { description: 'The state', data: inserting } },
});

export const postInsertingPause = describe('postInsertingPause', {
  tag,
  summary: 'Pause all inserting',
  description:
    'Steps under way are finished, and within a second no further one begins, in any worker. Uploads are answered, ' +
    'and their products queued. The reason is shown by every run that waits.',
  body: pause,
  answers: { 200: { description: 'It is paused', data: inserting } },
});

export const postInsertingResume = describe('postInsertingResume', {
  tag,
  summary: 'Let inserting go on',
  answers: { 200: { description: 'It goes on', data: inserting } },
});
