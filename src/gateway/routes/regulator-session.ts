/** Driving the service's own login with the regulator (architecture §the-regulator-is-a-port). */
import { PERMISSIONS } from '../../domain/permissions.ts';
import { type SessionState, sessionMessage } from '../../domain/regulator-session.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { defineRoute } from '../route.ts';
import { type RegulatorSessionJson, regulatorSession, verification } from '../schemas/regulator-session.ts';

const path = '/regulator/session';
const tag = 'Regulator session';
const permission = PERMISSIONS.manageSession;

export function regulatorSessionRoutes({ sessions }: GatewayDependencies) {
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'getRegulatorSession',
      tag,
      summary: 'The state of the regulator session',
      permission,
      answers: { 200: { description: 'The state', data: regulatorSession } },
      handle: async () => answer(await sessions.state()),
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'postRegulatorSession',
      tag,
      summary: 'Start a new login; the regulator sends a verification code by e-mail',
      permission,
      answers: { 202: { description: 'The login waits for its code', data: regulatorSession } },
      errors: { 502: 'The regulator refused the login or cannot be reached' },
      handle: async ({ caller }) => answer(await sessions.logIn(caller.actor)),
    }),
    defineRoute({
      method: 'post',
      path: `${path}/verification`,
      operationId: 'postRegulatorSessionVerification',
      tag,
      summary: 'Give the verification code',
      permission,
      body: verification,
      answers: { 200: { description: 'The session is active', data: regulatorSession } },
      errors: {
        400: 'The code is wrong, which leaves the login pending until the fifth time; or no login waits for one',
        502: 'The regulator cannot be reached',
      },
      handle: async ({ caller, body: { code } }) => answer(await sessions.verify(code, caller.actor)),
    }),
    defineRoute({
      method: 'delete',
      path,
      operationId: 'deleteRegulatorSession',
      tag,
      summary: 'Log out',
      permission,
      answers: { 200: { description: 'There is no session any more', data: regulatorSession } },
      handle: async ({ caller }) => answer(await sessions.logOut(caller.actor)),
    }),
  ];
}

function answer(state: SessionState): { message: string; data: RegulatorSessionJson } {
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
