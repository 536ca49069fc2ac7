/** Liveness and readiness, for orchestrators and load balancers. */
import { getLiveness, getReadiness } from '../../contract/schemas/health.ts';
import type { CheckResults } from '../../http/health.ts';
import { HttpError } from '../http-error.ts';
import { defineRoute } from '../route.ts';

export interface HealthDependencies {
  version: string;
  /** Whether requests can be answered. */
  askReadiness(): Promise<CheckResults>;
  /** Whether an upload would be processed. */
  askProcessing(): Promise<CheckResults>;
}

export function healthRoutes({ version, askReadiness, askProcessing }: HealthDependencies) {
  return [
    defineRoute({
      ...getLiveness,
      handle: async () => ({ message: 'Alive.', data: { version } }),
    }),
    defineRoute({
      ...getReadiness,
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
