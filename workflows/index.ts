/** All workflows of the workers, under their registered type names (decision §readable-runs). */

export { packageCheck as 'package-check' } from './package-check.ts';
export { packageImport as 'package-import' } from './package-import.ts';
export { packageImportBatch as 'package-import-batch' } from './package-import-batch.ts';
export { packageImportRetry as 'package-import-retry' } from './package-import-retry.ts';
export { regulatorInsert as 'regulator-insert' } from './regulator-insert.ts';
export { mailDigests as 'mail-digests', reconcile, retention, statistics } from './scheduled.ts';
export { webhookDelivery as 'webhook-delivery' } from './webhook-delivery.ts';
