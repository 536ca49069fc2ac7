/** All workflows of the workers, under their registered type names (decision §runs-in-temporal). */

export { failuresRun as 'failures-run' } from './failures-run.ts';
export { packageImport as 'package-import' } from './package-import.ts';
export { packageImportBatch as 'package-import-batch' } from './package-import-batch.ts';
export { regulatorInsert as 'regulator-insert' } from './regulator-insert.ts';
export {
  mailDigests as 'mail-digests',
  packageCheck as 'package-check',
  packageImportRetry as 'package-import-retry',
  reconcile,
  retention,
  statistics,
} from './single-activity.ts';
export { webhookDelivery as 'webhook-delivery' } from './webhook-delivery.ts';
