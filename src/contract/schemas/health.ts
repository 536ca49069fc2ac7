import { z } from 'zod';
import { describe } from './operation.ts';

export const getLiveness = describe('getLiveness', {
  tag: 'Health',
  summary: 'Check that the gateway answers',
  answers: {
    200: {
      description: 'The gateway answers',
      data: z.object({ version: z.string().describe('Version of the running service') }),
    },
  },
});
