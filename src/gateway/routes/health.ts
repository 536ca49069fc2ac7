/** For orchestrators and load balancers. */
import { z } from 'zod';
import type { CheckResults } from '../../http/health.ts';
import { HttpError } from '../http-error.ts';
import { defineRoute } from '../route.ts';

const VERSION = z.string().describe('Of the running service');

export interface HealthDependencies {
  version: string;
  /** Whether requests can be answered. */
  askReadiness(): Promise<CheckResults>;
  /** Whether what comes in would be processed. */
  askProcessing(): Promise<CheckResults>;
}

export function healthRoutes({ version, askReadiness, askProcessing }: HealthDependencies) {
  return [
    defineRoute({
      method: 'get',
      path: '/health/live',
      operationId: 'getLiveness',
      tag: 'Health',
      summary: 'The process answers',
      answers: { 200: { description: 'It does', data: z.object({ version: VERSION }) } },
      handle: async () => ({ message: 'Alive.', data: { version } }),
    }),
    defineRoute({
      method: 'get',
      path: '/health/ready',
      operationId: 'getReadiness',
      tag: 'Health',
      summary: 'The gateway reaches what it stands on, and can answer requests',
      description:
        'Database and storage (`checks`). `processing` tells of Temporal and a polling worker of each task queue: without ' +
        'the first three uploads get 503, all else is answered as always. The regulator session is no part of either.',
      answers: {
        200: {
          description: 'It can',
          data: z.object({
            version: VERSION,
            checks: z.record(z.string(), z.literal('ok')),
            processing: z.record(z.string(), z.enum(['ok', 'failed'])),
          }),
        },
      },
      errors: { 503: 'Something is missing; `data.checks` says what, the log says why' },
      async handle() {
        const [{ ok, checks }, { checks: processing }] = await Promise.all([askReadiness(), askProcessing()]);
        if (!ok) throw new HttpError('not_ready', 'Not ready.', { data: { version, checks, processing } });
        return {
          message: 'Ready.',
          data: {
            version,
            checks: checks as Record<string, 'ok'>,
            processing: processing as Record<string, 'ok' | 'failed'>,
          },
        };
      },
    }),
  ];
}
