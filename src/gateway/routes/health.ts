/** For orchestrators and load balancers. */
import { z } from 'zod';
import { messageOf } from '../../domain/errors.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { defineRoute } from '../route.ts';

const CHECK_TIMEOUT_MS = 3_000;

export function healthRoutes({ readiness }: GatewayDependencies) {
  return [
    defineRoute({
      method: 'get',
      path: '/health/live',
      operationId: 'getLiveness',
      tag: 'Health',
      summary: 'The process answers',
      answers: { 200: { description: 'It does', data: z.object({}) } },
      handle: async () => ({ message: 'Alive.', data: {} }),
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
        200: { description: 'It is', data: z.object({ checks: z.record(z.string(), z.literal('ok')) }) },
      },
      errors: { 503: 'Something is missing; `data.checks` says what' },
      async handle() {
        const names = Object.keys(readiness);
        const results = await Promise.all(Object.values(readiness).map(outcome));
        const checks = Object.fromEntries(names.map((name, index) => [name, results[index] ?? 'ok']));
        if (results.some((result) => result !== 'ok'))
          throw new HttpError(503, 'Not ready.', { data: { checks } });
        return { message: 'Ready.', data: { checks: checks as Record<string, 'ok'> } };
      },
    }),
  ];
}

async function outcome(check: () => Promise<void>): Promise<string> {
  try {
    const timeout = new Promise<never>((_resolve, reject) => {
      setTimeout(() => reject(new Error('no answer in time')), CHECK_TIMEOUT_MS).unref();
    });
    await Promise.race([check(), timeout]);
    return 'ok';
  } catch (error) {
    return messageOf(error);
  }
}
