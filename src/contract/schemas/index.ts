/** The whole API: every operation with its schemas. */
import { MAX_UPLOAD_BYTES } from '../limits.ts';
import type { OperationId } from '../operations.ts';
import { getDossier, getDossierKey } from './dossier.ts';
import { getFailures, getFailuresRun, postFailuresAction, postFailuresRunStop } from './failures.ts';
import {
  getFailedFile,
  getImportRetry,
  getOriginalPackage,
  getRepairPack,
  postImportCancellation,
  postImportRetry,
} from './import-actions.ts';
import {
  getImportFilesCsv,
  getImportFilesJsonLines,
  getImportProductsCsv,
  getImportProductsJsonLines,
} from './import-tables.ts';
import type { Description } from './operation.ts';
import {
  deleteRegulatorSession,
  getAuditEvents,
  getInserting,
  getLiveness,
  getRegulatorSession,
  postInsertingPause,
  postInsertingResume,
  postRegulatorSession,
  postRegulatorSessionVerification,
} from './operators.ts';
import { getPackageImport, getPackageImports } from './package-imports.ts';
import { getStatistics, getStored } from './statistics.ts';
import {
  getProduct,
  getSubmission,
  getSubmissions,
  getSubmissionXml,
  postSubmissionAction,
} from './submissions.ts';
import { postPackageImportOf } from './upload.ts';
import {
  deleteWebhook,
  getWebhook,
  getWebhookDeliveries,
  postWebhookRedelivery,
  postWebhookSecret,
  postWebhookTest,
  putWebhook,
} from './webhooks.ts';

export const API = {
  postPackageImport: postPackageImportOf(MAX_UPLOAD_BYTES),
  getPackageImports,
  getPackageImport,
  getImportProductsCsv,
  getImportProductsJsonLines,
  getImportFilesCsv,
  getImportFilesJsonLines,
  postImportCancellation,
  postImportRetry,
  getImportRetry,
  getRepairPack,
  getOriginalPackage,
  getFailedFile,
  getFailures,
  postFailuresAction,
  getFailuresRun,
  postFailuresRunStop,
  getSubmissions,
  getSubmission,
  postSubmissionAction,
  getSubmissionXml,
  getProduct,
  getDossier,
  getDossierKey,
  getStatistics,
  getStored,
  getRegulatorSession,
  postRegulatorSession,
  postRegulatorSessionVerification,
  deleteRegulatorSession,
  getInserting,
  postInsertingPause,
  postInsertingResume,
  getWebhook,
  putWebhook,
  postWebhookSecret,
  postWebhookTest,
  deleteWebhook,
  getWebhookDeliveries,
  postWebhookRedelivery,
  getAuditEvents,
  getLiveness,
} satisfies Record<OperationId, Description>;
