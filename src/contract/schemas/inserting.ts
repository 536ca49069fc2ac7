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
      description: 'The reason of the pause, shown with every waiting run',
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
    'Workers finish the running steps and begin no further one after a second. Uploads are answered as usual, and ' +
    'their products are queued. Every waiting run shows the reason.',
  body: pause,
  answers: { 200: { description: 'Inserting is paused', data: inserting } },
});

export const postInsertingResume = describe('postInsertingResume', {
  tag,
  summary: 'Let inserting go on',
  answers: { 200: { description: 'Inserting is resumed', data: inserting } },
});
