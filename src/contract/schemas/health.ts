import { z } from 'zod';
import { describe } from './operation.ts';

const version = z.string().describe('Of the running service');

export const getLiveness = describe('getLiveness', {
  tag: 'Health',
  summary: 'The process answers',
  answers: { 200: { description: 'The process answers', data: z.object({ version }) } },
});

export const getReadiness = describe('getReadiness', {
  tag: 'Health',
  summary: 'The gateway reaches what it stands on, and can answer requests',
  description:
    '`checks` contains the database and the storage. `processing` contains Temporal and the workers of each task queue: ' +
    'without the first three, uploads get 503 and all other requests are answered. The regulator session is in neither.',
  answers: {
    200: {
      description: 'The gateway is ready',
      data: z.object({
        version,
        checks: z.record(z.string(), z.literal('ok')),
        processing: z.record(z.string(), z.enum(['ok', 'failed'])),
      }),
    },
  },
  errors: { 503: 'A check fails; `data.checks` names it, and the log has the reason' },
});
