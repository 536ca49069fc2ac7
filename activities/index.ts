/** All activities, by the task queue that runs them. The workflows know only their types. */

import type { ImportDependencies, InsertDependencies } from './dependencies.ts';
import { createCheckPackage } from './extraction/dry-run.ts';
import { createExtractPackage } from './extraction/extract-package.ts';
import { mapFailures } from './failure-mapping.ts';
import { createImportRecords } from './import-records.ts';
import { createInsertRecords } from './insert-records.ts';
import { createInsertSteps } from './insert-steps.ts';
import { createReconcile } from './reconcile.ts';
import { createApplyRetention } from './retention.ts';
import { createSendSummary } from './send-summary.ts';

export type { StepResult } from './insert-steps.ts';
export type { ReconcileResult } from './reconcile.ts';
export type { RetentionResult } from './retention.ts';

/** Activities of the task queue `package-import`. */
export function createImportActivities(dependencies: ImportDependencies) {
  return mapFailures({
    extractPackage: createExtractPackage(dependencies),
    checkPackage: createCheckPackage(dependencies),
    sendSummary: createSendSummary(dependencies),
    reconcile: createReconcile(dependencies),
    applyRetention: createApplyRetention(dependencies),
    keepSessionAlive: () => dependencies.sessions.keepAlive(),
    ...createImportRecords(dependencies),
  });
}

/** Activities of the task queue `regulator-insert`. */
export function createInsertActivities(dependencies: InsertDependencies) {
  return mapFailures({ ...createInsertSteps(dependencies), ...createInsertRecords(dependencies) });
}

export type ImportActivities = ReturnType<typeof createImportActivities>;
export type InsertActivities = ReturnType<typeof createInsertActivities>;
