import { z } from 'zod';
import { describe } from './operation.ts';

const version = z.string().describe('Of the running service');

export const getLiveness = describe('getLiveness', {
  tag: 'Health',
  summary: 'The process answers',
  answers: { 200: { description: 'It does', data: z.object({ version }) } },
});

export const getReadiness = describe('getReadiness', {
  tag: 'Health',
  summary: 'The gateway reaches what it stands on, and can answer requests',
  description:
    'Database and storage (`checks`). `processing` tells of Temporal and a polling worker of each task queue: without ' +
    'the first three uploads get 503, all else is answered as always. The regulator session is no part of either.',
  answers: {
    200: {
      description: 'It can',
      data: z.object({
        version,
        checks: z.record(z.string(), z.literal('ok')),
        processing: z.record(z.string(), z.enum(['ok', 'failed'])),
      }),
    },
  },
  errors: { 503: 'Something is missing; `data.checks` says what, the log says why' },
});
