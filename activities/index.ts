/** All activities, by the task queue that runs them. The workflows import only their types. */

import { heartbeating } from './activity-context.ts';
import { createCancelInserts } from './cancellation.ts';
import { createCountDays } from './count-days.ts';
import type { ImportDependencies, InsertDependencies, ReadingDependencies } from './dependencies.ts';
import { mapFailures } from './failure-mapping.ts';
import { createFailuresRun } from './failures-run.ts';
import { createForgetPackage } from './forget-package.ts';
import { createImportRecords } from './import-records.ts';
import { createInsertRecords, createNextStepCache } from './insert-records.ts';
import { createInsertSteps } from './insert-steps.ts';
import { createCheckPackage } from './reading/check-package.ts';
import { createReadPackage } from './reading/read-package.ts';
import { createReconcile } from './reconcile.ts';
import { createApplyRetention } from './retention.ts';
import { createRetryProducts } from './retry-products.ts';
import { createSendDigests } from './send-digests.ts';
import { createSendSummary } from './send-summary.ts';
import { createDeliverWebhook } from './webhooks.ts';

/** Activities of the task queue `package-reading`. */
export function createReadingActivities(dependencies: ReadingDependencies) {
  return mapFailures({
    extractPackage: createReadPackage(dependencies),
    checkPackage: createCheckPackage(dependencies),
  });
}

/** Activities of the task queue `package-import`. */
export function createImportActivities(dependencies: ImportDependencies) {
  return mapFailures({
    cancelInserts: createCancelInserts(dependencies),
    forgetPackage: createForgetPackage(dependencies),
    retryProducts: createRetryProducts(dependencies),
    ...createFailuresRun(dependencies),
    reconcile: createReconcile(dependencies),
    applyRetention: createApplyRetention(dependencies),
    countDays: createCountDays(dependencies),
    keepSessionAlive: () => heartbeating(() => dependencies.sessions.keepAlive()),
    ...createImportRecords(dependencies),
  });
}

/** Activities of the task queue `mails`. */
export function createMailActivities(dependencies: ImportDependencies) {
  return mapFailures({
    sendSummary: createSendSummary(dependencies),
    sendDigests: createSendDigests(dependencies),
  });
}

/** Activities of the task queue `webhooks`. */
export function createWebhookActivities(dependencies: ImportDependencies) {
  return mapFailures({ deliverWebhook: createDeliverWebhook(dependencies) });
}

/** Activities of the task queue `regulator-insert`. */
export function createInsertActivities(dependencies: InsertDependencies) {
  const nextStep = createNextStepCache();
  return mapFailures({
    ...createInsertSteps(dependencies, nextStep),
    ...createInsertRecords(dependencies, nextStep),
  });
}

export type ReadingActivities = ReturnType<typeof createReadingActivities>;
export type ImportActivities = ReturnType<typeof createImportActivities>;
export type MailActivities = ReturnType<typeof createMailActivities>;
export type WebhookActivities = ReturnType<typeof createWebhookActivities>;
export type InsertActivities = ReturnType<typeof createInsertActivities>;
