/** Login, verification and logout of the regulator session (decision §the-regulator-is-a-port). */
import {
  deleteRegulatorSession,
  getRegulatorSession,
  postRegulatorSession,
  postRegulatorSessionVerification,
  type RegulatorSession,
} from '../../contract/schemas/regulator-session.ts';
import { type SessionState, sessionMessage } from '../../domain/regulator.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { takeLogin } from '../quotas/client-quotas.ts';
import { defineRoute } from '../route.ts';

export function regulatorSessionRoutes({
  sessions,
  quotas,
}: Pick<GatewayDependencies, 'sessions' | 'quotas'>) {
  return [
    defineRoute({
      ...getRegulatorSession,
      handle: async () => answer(await sessions.state()),
    }),
    defineRoute({
      ...postRegulatorSession,
      async handle({ caller }) {
        await takeLogin(quotas);
        return answer(await sessions.logIn(caller.actor));
      },
    }),
    defineRoute({
      ...postRegulatorSessionVerification,
      handle: async ({ caller, body: { code } }) => answer(await sessions.verify(code, caller.actor)),
    }),
    defineRoute({
      ...deleteRegulatorSession,
      handle: async ({ caller }) => answer(await sessions.logOut(caller.actor)),
    }),
  ];
}

function answer(state: SessionState): { message: string; data: RegulatorSession } {
  const message = sessionMessage(state);
  return {
    message,
    data: {
      status: state.status,
      expires_at: state.expiresAt?.toISOString() ?? null,
      regulator_session_message: message,
    },
  };
}
