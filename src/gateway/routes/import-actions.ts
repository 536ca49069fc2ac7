/** Actions on a whole package import: cancellation and retry. */
import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import { count } from '../../common/text.ts';
import {
  getImportRetry,
  type ImportRetry,
  postImportCancellation,
  postImportRetry,
} from '../../contract/schemas/import-actions.ts';
import { CANCEL_ACTION } from '../../contract/statuses.ts';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import type { ImportRetryRow } from '../../database/entities/queue-result.ts';
import type { RetriedResult, RetryCounts } from '../../database/repositories/import-retries.ts';
import { ImportActionNotAvailable, NotFound } from '../../domain/client-errors.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { findImport } from '../ownership.ts';
import { summariesOf } from '../presenters/package-import.ts';
import { presentQueueResult } from '../presenters/submission.ts';
import { pageBytes, type ReadBudget } from '../quotas/read-budgets.ts';
import { requireSession } from '../requirements.ts';
import { defineRoute, type GatewayState } from '../route.ts';

/** Longest time that the answer waits for its first page. Products without a result by then are pending. */
const LONGEST_WAIT_MS = 10_000;
const LOOK_MS = 100;

type Page = z.output<typeof getImportRetry.query>;

export function importActionRoutes({ database, readAudit, importWorkflows, sessions }: GatewayDependencies) {
  const { imports, importRetries } = database;

  /** Null if the import has never been retried. */
  async function page({ id, comment }: PackageImportRow, { limit, after }: Page): Promise<RetryPage | null> {
    const retry = await importRetries.last(id);
    if (!retry) return null;
    // Counts before results: if the counts show nothing pending, the results are complete.
    const counts = await importRetries.counts(id);
    const results = await importRetries.results(id, { after, limit: limit + 1 });
    return { retry, counts, results, comment: comment ?? null };
  }

  /** The first page, as soon as it is complete or the time is up. */
  async function firstPage(budget: ReadBudget, record: PackageImportRow, limit: number): Promise<RetryPage> {
    for (const until = performance.now() + LONGEST_WAIT_MS; ; await pause(LOOK_MS)) {
      await budget.reserve(pageBytes(limit));
      const first = await page(record, { limit, after: 0 });
      if (!first) throw new NotFound('Retry of package import', record.id);
      const isWhole = first.results.length >= limit || first.counts.pending === 0;
      if (isWhole || performance.now() > until) return first;
      budget.loaded(0);
    }
  }

  /** Logs a failed start: the reconciler starts recorded work twice a minute (decision §the-reconciler). */
  const orLater = (log: GatewayState['log'], what: string) => (error: unknown) =>
    log.warn({ err: error }, `${what} was not started: the reconciler will start it`);

  return [
    defineRoute({
      ...postImportCancellation,
      async handle({ caller, params: { id }, ctx }) {
        const { uuid } = await findImport(database, caller, id);
        const isOpen = await imports.requestCancel(id, caller.actor);
        if (isOpen) await importWorkflows.cancel(uuid).catch(orLater(ctx.state.log, 'the cancellation'));
        const after = await findImport(database, caller, id);
        if (!isOpen && after.status !== 'cancelled') throw new ImportActionNotAvailable(CANCEL_ACTION, after);
        const data = (await summariesOf(database, [after]))(after);
        const state = data.completed_at === null ? 'is being cancelled' : `is ${data.status}`;
        return { message: `Package import ${id} ${state}.`, data };
      },
    }),
    defineRoute({
      ...postImportRetry,
      async handle({ caller, params: { id }, query: { limit }, ctx, budget }) {
        await requireSession(sessions, 'products are inserted');
        const record = await findImport(database, caller, id);
        const { clientId, actor } = caller;
        const retry = await importRetries.begin({ importId: id, clientId, actor });
        if (!retry) return { message: `Package import ${id} has nothing to retry.`, data: NOTHING_RETRIED };
        if (retry.endedAt == null)
          await importWorkflows.retry(retry).catch(orLater(ctx.state.log, 'the retry'));
        const first = await firstPage(budget, record, limit);
        return { message: retryMessage(id, first.counts), data: presentRetry(first, { limit, after: 0 }) };
      },
    }),
    defineRoute({
      ...getImportRetry,
      async handle({ caller, params: { id }, query }) {
        const record = await findImport(database, caller, id);
        await readAudit.note(caller, record.tenant, { action: 'import.read', importId: id });
        const found = await page(record, query);
        if (!found) throw new NotFound('Retry of package import', id);
        return { message: retryMessage(id, found.counts), data: presentRetry(found, query) };
      },
    }),
  ];
}

interface RetryPage {
  retry: ImportRetryRow;
  counts: RetryCounts;
  /** Up to `limit + 1`, to see whether there are more. */
  results: RetriedResult[];
  comment: string | null;
}

/** The answer if the import has nothing to retry. */
const NOTHING_RETRIED: ImportRetry = {
  queued_count: 0,
  failed_count: 0,
  pending_count: 0,
  results: [],
  next_after: null,
  requested_by: null,
  requested_at: null,
  ended_at: null,
};

/** @param after ID of the last submission before the page; 0 for the first page */
export function presentRetry(
  { retry, counts, results, comment }: RetryPage,
  { limit, after }: { limit: number; after: number },
): ImportRetry {
  const page = results.slice(0, limit);
  const isLast = results.length <= limit && counts.pending === 0;
  return {
    queued_count: counts.queued,
    failed_count: counts.failed,
    pending_count: counts.pending,
    results: page.map(({ submissionId, productId, ...result }) => ({
      ...presentQueueResult({ ...result, submission: submissionId }, comment),
      product_id: productId,
    })),
    next_after: isLast ? null : (page.at(-1)?.submissionId ?? after),
    requested_by: retry.requestedBy,
    requested_at: retry.requestedAt.toISOString(),
    ended_at: retry.endedAt?.toISOString() ?? null,
  };
}

function retryMessage(importId: number, { queued, failed, pending }: RetryCounts): string {
  const all = count(queued + failed + pending, 'product');
  const left = pending > 0 ? `, ${pending} pending` : '';
  return `Retry of package import ${importId} (${all}): ${queued} queued, ${failed} not queued${left}.`;
}
