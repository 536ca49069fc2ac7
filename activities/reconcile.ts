/**
 * The reconciler (decision §the-reconciler) repairs records that say "under way" although no run works on them, and
 * records the reason. It also announces events to webhooks.
 */
import { plainReason } from '../src/contract/reasons.ts';
import type { InsertingSubmission, OpenImport } from '../src/database/repositories/open-work.ts';
import { heartbeating } from './activity-context.ts';
import { createAnnounceEvents } from './announce-events.ts';
import { forEachConcurrent, grouped, rowsById } from './batching.ts';
import type { ImportDependencies } from './dependencies.ts';

export interface ReconcileResult {
  /** Submissions whose run was lost. */
  failed: number[];
  /** Submissions whose run had succeeded. They are inserted again to record that. */
  repeated: number[];
  /** Imports whose lost workflow was started again. */
  resumed: number[];
}

/** Younger records may be between two writes: their run or workflow is being started or ended. */
const GRACE_MS = 15_000;

const ACTOR = 'service:reconciler';

export function createReconcile(dependencies: ImportDependencies) {
  const { database, insertWorkflows, importWorkflows } = dependencies;
  const announceEvents = createAnnounceEvents(dependencies);

  return () => heartbeating(reconcile);

  async function reconcile(): Promise<ReconcileResult> {
    const result: ReconcileResult = { failed: [], repeated: [], resumed: [] };
    const submissions = rowsById(
      (after, limit) => database.reconciliation.inserting(GRACE_MS, after, limit),
      ({ submissionId }) => submissionId,
    );
    for await (const page of grouped(submissions)) {
      const running = await insertWorkflows.running(page.map(({ jobId }) => jobId));
      const suspects = page.filter(({ jobId }) => !running.has(jobId));
      await forEachConcurrent(suspects, async (suspect) => {
        const how = await repairSubmission(suspect);
        if (how) result[how].push(suspect.submissionId);
      });
    }
    const imports = rowsById(
      (after, limit) => database.reconciliation.openImports(GRACE_MS, after, limit),
      ({ importId }) => importId,
    );
    await forEachConcurrent(imports, async (open) => {
      if (await resumeImport(open)) result.resumed.push(open.importId);
      // The request for the cancellation may have been lost in a crash. A second request is harmless.
      if (open.cancelRequested) await importWorkflows.cancel(open.importUuid);
    });
    const retries = rowsById(
      (after, limit) => database.importRetries.openSince(GRACE_MS, after, limit),
      ({ packageImport }) => packageImport,
    );
    await forEachConcurrent(retries, (retry) => importWorkflows.retry(retry));
    await announceEvents();
    return result;
  }

  /** Repairs one submission and returns the action. The list of running runs lags: each suspect is looked up again. */
  async function repairSubmission(suspect: InsertingSubmission): Promise<'failed' | 'repeated' | null> {
    const { submissionId, productId, jobId } = suspect;
    const current = await insertWorkflows.current(productId);
    if (current?.running && (current.runId === jobId || current.submissionId === submissionId)) return null;
    if (current?.succeeded && current.submissionId === submissionId) return repeat(suspect);
    const reason = `The insert run ${jobId} has ended without a result (terminated, deleted, or replaced by a reset of another run). Retry it.`;
    const changed = await database.insertRuns.fail(submissionId, jobId, [plainReason(reason)], ACTOR);
    return changed ? 'failed' : null;
  }

  /**
   * Temporal has a success that the record does not: the database was restored from a backup. The regulator accepts a
   * repeated insert without effect (decision §restored-means-repeated).
   */
  async function repeat(insert: InsertingSubmission): Promise<'repeated' | null> {
    const started = await insertWorkflows.start(insert);
    if (started) await database.insertRuns.recordStart(insert.submissionId, started.runId, ACTOR);
    return started ? 'repeated' : null;
  }

  async function resumeImport(open: OpenImport): Promise<boolean> {
    if (await importWorkflows.isRunning(open.importUuid)) return false;
    // The import may have ended since it was listed, for example by the repair of its last insert. Its end is recorded
    // before its run closes.
    const record = await database.imports.find(open.importId);
    if (!record || record.completedAt != null) return false;
    // Another reconciler, which an operator has started, may have resumed it meanwhile.
    if (!(await importWorkflows.resume(open))) return false;
    await database.auditTrail.record({ actor: ACTOR, action: 'import.resumed', importId: open.importId });
    return true;
  }
}
