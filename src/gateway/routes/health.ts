/** The health that load balancers see. Readiness and metrics have a port of their own (HEALTH_PORT). */
import { getLiveness } from '../../contract/schemas/operators.ts';
import { defineRoute } from '../route.ts';

export function healthRoute(version: string) {
  return defineRoute({ ...getLiveness, handle: async () => ({ message: 'Alive.', data: { version } }) });
}
