/** The routes of operators and their programs: regulator session, inserting, audit trail and health. */
import {
  type AuditEvent,
  deleteRegulatorSession,
  getAuditEvents,
  getInserting,
  getLiveness,
  getRegulatorSession,
  type Inserting,
  postInsertingPause,
  postInsertingResume,
  postRegulatorSession,
  postRegulatorSessionVerification,
  type RegulatorSession,
} from '../../contract/schemas/operators.ts';
import type { AuditEventRow } from '../../database/entities/audit-event.ts';
import {
  type InsertingPause,
  pauseMessage,
  type SessionState,
  sessionMessage,
} from '../../domain/regulator.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { takeLogin } from '../quotas/client-quotas.ts';
import { defineRoute } from '../route.ts';

/** Login, verification and logout of the regulator session (decision §the-regulator-is-a-port). */
export function regulatorSessionRoutes({
  sessions,
  quotas,
}: Pick<GatewayDependencies, 'sessions' | 'quotas'>) {
  return [
    defineRoute({
      ...getRegulatorSession,
      handle: async () => answerOf(await sessions.state()),
    }),
    defineRoute({
      ...postRegulatorSession,
      async handle({ caller }) {
        await takeLogin(quotas);
        return answerOf(await sessions.logIn(caller.actor));
      },
    }),
    defineRoute({
      ...postRegulatorSessionVerification,
      handle: async ({ caller, body: { code } }) => answerOf(await sessions.verify(code, caller.actor)),
    }),
    defineRoute({
      ...deleteRegulatorSession,
      handle: async ({ caller }) => answerOf(await sessions.logOut(caller.actor)),
    }),
  ];
}

function answerOf(state: SessionState): { message: string; data: RegulatorSession } {
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

/** Pauses and resumes all inserting (decision §pausing-inserting). */
export function insertingRoutes({ database: { insertingPause } }: Pick<GatewayDependencies, 'database'>) {
  const state = async () => answer(await insertingPause.current());
  return [
    defineRoute({
      ...getInserting,
      handle: state,
    }),
    defineRoute({
      ...postInsertingPause,
      async handle({ caller, body: { reason } }) {
        await insertingPause.pause(reason, caller.actor);
        return state();
      },
    }),
    defineRoute({
      ...postInsertingResume,
      async handle({ caller }) {
        await insertingPause.resume(caller.actor);
        return state();
      },
    }),
  ];
}

function answer(current: InsertingPause | null): { message: string; data: Inserting } {
  return {
    message: pauseMessage(current),
    data: {
      paused: current !== null,
      reason: current?.reason ?? null,
      paused_by: current?.actor ?? null,
      paused_at: current?.since.toISOString() ?? null,
    },
  };
}

export function auditEventRoutes({ database }: GatewayDependencies) {
  return [
    defineRoute({
      ...getAuditEvents,
      async handle({ query: { limit, before, import_id, submission_id, actor, action } }) {
        const filter = { importId: import_id, submissionId: submission_id, actor, actions: action };
        const { events, nextBefore } = await database.auditTrail.list(filter, { limit, before });
        return {
          message: 'Audit trail.',
          data: { audit_events: events.map(presentEvent), next_before: nextBefore },
        };
      },
    }),
  ];
}

function presentEvent({ id, at, actor, action, importId, submissionId, detail }: AuditEventRow): AuditEvent {
  return {
    id,
    at: at.toISOString(),
    actor,
    action,
    import_id: importId ?? null,
    submission_id: submissionId ?? null,
    detail: detail ?? null,
  };
}

/** The health that load balancers see. Readiness and metrics have a port of their own (HEALTH_PORT). */
export function healthRoute(version: string) {
  return defineRoute({ ...getLiveness, handle: async () => ({ message: 'Alive.', data: { version } }) });
}
