/** Failed products over all imports, and the run that retries or cancels many of them. */
import type { z } from 'zod';
import { count } from '../../common/text.ts';
import { PERMISSIONS } from '../../contract/operations.ts';
import {
  type Failures,
  getFailures,
  getFailuresRun,
  postFailuresAction,
  postFailuresRunStop,
} from '../../contract/schemas/failures.ts';
import { CANCEL_ACTION } from '../../contract/statuses.ts';
import { withoutName } from '../../domain/actors.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { isOperator, listedFor } from '../ownership.ts';
import { READ_BYTES } from '../quotas/read-budgets.ts';
import { requirePermission, requireSession } from '../requirements.ts';
import { defineRoute } from '../route.ts';
import type { Caller } from '../tokens/access-token.ts';

type Search = Parameters<GatewayDependencies['database']['failures']['groups']>[0];

export function failureRoutes({ database, readAudit, failuresRuns, sessions }: GatewayDependencies) {
  /** The tenant of the caller's run; null for that of operators. */
  const tenantOf = (caller: Caller) => (isOperator(caller) ? null : caller.tenant);
  const last = (caller: Caller) => failuresRuns.last(tenantOf(caller));

  /** Counts what matches. The audit of reads has what an operator sees of others, in a preview as well. */
  async function groups(caller: Caller, search: Search) {
    await readAudit.note(caller, search.owner.tenant ?? null, { action: 'failures.read' });
    return database.failures.groups(search);
  }

  return [
    defineRoute({
      ...getFailures,
      async handle({ caller, query }) {
        const found = await groups(caller, searchOf(caller, query));
        return { message: `Failures: ${amountText(found)}.`, data: found };
      },
    }),
    defineRoute({
      ...postFailuresAction,
      async handle({ caller, params: { action }, query, budget }) {
        const { actor, clientId } = caller;
        const open = action === CANCEL_ACTION;
        // A preview and a cancellation insert nothing.
        if (!open && !query.dry_run) await requireSession(sessions, 'products are inserted');
        if (open) requirePermission(caller, PERMISSIONS.importPackage);
        const { owner, filter } = searchOf(caller, query);
        await budget.reserve(READ_BYTES);
        const found = await groups(caller, { owner, filter, open });
        budget.loaded();
        const { products, imports } = found;
        const message = `${amountText(found)}.`;
        const preview = { status: 200, message, data: { ...found, run: null } };
        if (query.dry_run) return preview;
        const tenant = tenantOf(caller);
        if ((await failuresRuns.last(tenant))?.status === 'running') throw conflictingFailuresRun(action);
        // An incomplete count may have missed older products, which the run would reach.
        if (imports === 0 && found.complete) return preview;
        const detail = JSON.parse(JSON.stringify({ ...query, products, imports }));
        await database.auditTrail.record({ actor, action: `failures.${action}_requested`, detail });
        const requestedBy = withoutName(actor);
        const requested = { action, requested_by: requestedBy, requested_at: new Date().toISOString() };
        const memo = { ...requested, products, imports, done_imports: 0, done_products: 0 };
        const input = { action, owner, filter, clientId, actor: requestedBy };
        if (!(await failuresRuns.start(tenant, input, memo))) throw conflictingFailuresRun(action);
        const data = { ...found, run: await last(caller) };
        return { status: 202, message: `The run has started: ${message}`, data };
      },
    }),
    defineRoute({
      ...getFailuresRun,
      handle: async ({ caller }) => ({ message: 'The last run.', data: { run: await last(caller) } }),
    }),
    defineRoute({
      ...postFailuresRunStop,
      async handle({ caller }) {
        if ((await last(caller))?.status === 'running') {
          await database.auditTrail.record({ actor: caller.actor, action: 'failures.stop_requested' });
          await failuresRuns.stop(tenantOf(caller));
        }
        return { message: 'The run stops, or has ended.', data: { run: await last(caller) } };
      },
    }),
  ];
}

function searchOf(caller: Caller, query: z.output<typeof getFailures.query>) {
  const { client_id, failed_since, submitter_id, group } = query;
  const filter = { failedSince: failed_since, submitterId: submitter_id, groups: group };
  return { owner: listedFor(caller, client_id), filter };
}

function conflictingFailuresRun(action: string): HttpError {
  const message = `${action} cannot be run on failures: another run is under way. Wait for its end, or stop it.`;
  return new HttpError('action_not_available', message);
}

function amountText({ products, imports, complete }: Omit<Failures, 'groups'>): string {
  return `${complete ? '' : 'at least '}${count(products, 'product')} in ${count(imports, 'import')}`;
}
