/** For orchestrators and load balancers. */
import { z } from 'zod';
import { cachedChecks } from '../../http/health.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { defineRoute } from '../route.ts';

const VERSION = z.string().describe('Of the running service');

export function healthRoutes({ version, readiness, logger }: GatewayDependencies) {
  const runChecks = cachedChecks(readiness, (check, reason) => {
    if (reason === null) logger.info({ check }, 'a check of the readiness works again');
    else logger.warn({ check, reason }, 'a check of the readiness fails');
  });
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
      summary: 'Everything is there that an upload needs to be processed',
      description:
        'Database, Temporal, a polling worker and storage. The regulator session is no part of it.',
      answers: {
        200: {
          description: 'It is',
          data: z.object({ version: VERSION, checks: z.record(z.string(), z.literal('ok')) }),
        },
      },
      errors: { 503: 'Something is missing; `data.checks` says what, the log says why' },
      async handle() {
        const { ok, checks } = await runChecks();
        if (!ok) throw new HttpError('not_ready', 'Not ready.', { data: { version, checks } });
        return { message: 'Ready.', data: { version, checks: checks as Record<string, 'ok'> } };
      },
    }),
  ];
}
