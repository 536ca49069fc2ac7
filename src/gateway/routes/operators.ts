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
import { RegulatorUnavailable } from '../../domain/client-errors.ts';
import {
  type InsertingPause,
  pauseMessage,
  type SessionState,
  sessionMessage,
} from '../../domain/regulator.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { takeFromRate } from '../quotas/client-quotas.ts';
import { defineRoute } from '../route.ts';

/** The key of a rate that all clients share. No client can have it: client IDs are not empty. */
const ALL_CLIENTS = '';

export function operatorRoutes({ database, sessions, quotas, version }: GatewayDependencies) {
  const { insertingPause, auditTrail } = database;
  const inserting = async () => answerAbout(await insertingPause.current());

  return [
    // Decision §the-regulator-is-a-port.
    defineRoute({
      ...getRegulatorSession,
      handle: async () => answerOf(await sessions.state()),
    }),
    defineRoute({
      ...postRegulatorSession,
      async handle({ caller }) {
        await takeFromRate(quotas.logins, ALL_CLIENTS, 1, 'of all clients together');
        try {
          return answerOf(await sessions.logIn(caller.actor));
        } catch (error) {
          // Without an answer there is no login to guess a code for.
          if (error instanceof RegulatorUnavailable) await quotas.logins.refund(ALL_CLIENTS, 1);
          throw error;
        }
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
    // Decision §waits-of-inserts.
    defineRoute({
      ...getInserting,
      handle: inserting,
    }),
    defineRoute({
      ...postInsertingPause,
      async handle({ caller, body: { reason } }) {
        await insertingPause.pause(reason, caller.actor);
        return inserting();
      },
    }),
    defineRoute({
      ...postInsertingResume,
      async handle({ caller }) {
        await insertingPause.resume(caller.actor);
        return inserting();
      },
    }),
    defineRoute({
      ...getAuditEvents,
      async handle({ query: { limit, before, import_id, submission_id, actor, action } }) {
        const filter = { importId: import_id, submissionId: submission_id, actor, actions: action };
        const { events, nextBefore } = await auditTrail.list(filter, { limit, before });
        return {
          message: 'Audit trail.',
          data: { audit_events: events.map(presentEvent), next_before: nextBefore },
        };
      },
    }),
    // For load balancers. Readiness and metrics have a port of their own (HEALTH_PORT).
    defineRoute({ ...getLiveness, handle: async () => ({ message: 'Alive.', data: { version } }) }),
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

function answerAbout(current: InsertingPause | null): { message: string; data: Inserting } {
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
