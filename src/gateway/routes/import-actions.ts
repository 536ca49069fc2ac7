/** Actions on a whole package import: cancellation and retry. */
import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import {
  getImportRetry,
  postImportCancellation,
  postImportRetry,
} from '../../contract/schemas/import-actions.ts';
import { CANCEL_ACTION } from '../../contract/statuses.ts';
import { ImportActionNotAvailable, NotFound } from '../../domain/client-errors.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { requireSession } from '../middleware/require-session.ts';
import { ownedBy } from '../ownership.ts';
import { NOTHING_RETRIED, presentRetry, type RetryPage, retryMessage } from '../presenters/import-retry.ts';
import { pageBytes } from '../quotas/reads.ts';
import { createReadTrail } from '../read-trail.ts';
import { createSummaries } from '../reports/summaries.ts';
import { defineRoute, type RouteRequest } from '../route.ts';
import { readIn } from '../state.ts';
import type { Caller } from '../tokens/access-token.ts';

/** Longest time that the answer waits for its first page. Products without a result by then are pending. */
const LONGEST_WAIT_MS = 10_000;
const LOOK_MS = 100;

type Page = z.output<typeof getImportRetry.query>;

export function importActionRoutes({
  database,
  importWorkflows,
  retryWorkflows,
  sessions,
}: GatewayDependencies) {
  const { imports, importRetries } = database;
  const reads = createReadTrail(database.auditTrail);
  const summarize = createSummaries(database);

  const find = async (caller: Caller, id: number) =>
    ownedBy(caller, await imports.find(id), 'Package import', id);

  /** Null if the import has never been retried. */
  async function page(caller: Caller, id: number, { limit, after }: Page): Promise<RetryPage | null> {
    const { comment } = await find(caller, id);
    const retry = await importRetries.last(id);
    if (!retry) return null;
    // Counts before results: if the counts show nothing pending, the results are complete.
    const counts = await importRetries.counts(id);
    const results = await importRetries.results(id, { after, limit: limit + 1 });
    return { retry, counts, results, comment: comment ?? null };
  }

  /** The first page, as soon as it is complete or the time is up. */
  async function firstPage(caller: Caller, id: number, limit: number): Promise<RetryPage> {
    for (const until = performance.now() + LONGEST_WAIT_MS; ; await pause(LOOK_MS)) {
      const first = await page(caller, id, { limit, after: 0 });
      if (!first) throw new NotFound('Retry of package import', id);
      const isWhole = first.results.length >= limit || first.counts.pending === 0;
      if (isWhole || performance.now() > until) return first;
    }
  }

  /** Logs a failed start: the reconciler starts recorded work twice a minute (decision §the-reconciler). */
  const orLater = (log: RouteRequest<unknown, unknown, unknown>['log'], what: string) => (error: unknown) =>
    log.warn({ err: error }, `${what} was not started: the reconciler will start it`);

  return [
    defineRoute({
      ...postImportCancellation,
      async handle({ caller, params: { id }, log }) {
        const before = await find(caller, id);
        const isOpen = await imports.requestCancel(id, caller.actor);
        if (!isOpen && before.status !== 'cancelled')
          throw new ImportActionNotAvailable(CANCEL_ACTION, await find(caller, id));
        if (isOpen) await importWorkflows.cancel(before.uuid).catch(orLater(log, 'the cancellation'));
        const after = await find(caller, id);
        const data = (await summarize([after]))(after);
        const state = data.completed_at === null ? 'is being cancelled' : `is ${data.status}`;
        return { message: `Package import ${id} ${state}.`, data };
      },
    }),
    defineRoute({
      ...postImportRetry,
      before: [requireSession(sessions)],
      async handle({ caller, params: { id }, query: { limit }, log, state }) {
        await find(caller, id);
        const { clientId, actor } = caller;
        const retry = await importRetries.begin({
          importId: id,
          clientId,
          actor,
        });
        if (!retry) return { message: `Package import ${id} has nothing to retry.`, data: NOTHING_RETRIED };
        const toStart = { importId: id, retryUuid: retry.uuid, clientId: retry.clientId };
        if (retry.endedAt == null) await retryWorkflows.start(toStart).catch(orLater(log, 'the retry'));
        const first = await firstPage(caller, id, limit);
        await readIn(state).reserve(pageBytes(limit));
        return { message: retryMessage(id, first.counts), data: presentRetry(first, { limit, after: 0 }) };
      },
    }),
    defineRoute({
      ...getImportRetry,
      async handle({ caller, params: { id }, query }) {
        const { tenant } = await find(caller, id);
        await reads.note(caller, tenant, { action: 'import.read', importId: id });
        const found = await page(caller, id, query);
        if (!found) throw new NotFound('Retry of package import', id);
        return { message: retryMessage(id, found.counts), data: presentRetry(found, query) };
      },
    }),
  ];
}
