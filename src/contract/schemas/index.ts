/** The whole API: every operation with its schemas. */
import { MAX_UPLOAD_BYTES } from '../limits.ts';
import type { OperationId } from '../operations.ts';
import { getAuditEvents } from './audit-events.ts';
import { getLiveness } from './health.ts';
import { getImportRetry, postImportRetry } from './import-retry.ts';
import {
  getImportFilesCsv,
  getImportFilesJsonLines,
  getImportProductsCsv,
  getImportProductsJsonLines,
} from './import-tables.ts';
import { getInserting, postInsertingPause, postInsertingResume } from './inserting.ts';
import type { Description } from './operation.ts';
import {
  getPackageImport,
  getPackageImports,
  getRepairPack,
  postImportCancellation,
} from './package-imports.ts';
import { getProduct } from './products.ts';
import {
  deleteRegulatorSession,
  getRegulatorSession,
  postRegulatorSession,
  postRegulatorSessionVerification,
} from './regulator-session.ts';
import { getStatistics, getStored } from './statistics.ts';
import { getSubmission, getSubmissions, getSubmissionXml, postSubmissionAction } from './submissions.ts';
import { postPackageImportOf } from './upload.ts';
import { getWebhookDeliveries, postWebhookRedelivery } from './webhook-deliveries.ts';
import { deleteWebhook, getWebhook, postWebhookSecret, putWebhook } from './webhooks.ts';

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
  getSubmissions,
  getSubmission,
  postSubmissionAction,
  getSubmissionXml,
  getProduct,
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
  deleteWebhook,
  getWebhookDeliveries,
  postWebhookRedelivery,
  getAuditEvents,
  getLiveness,
} satisfies Record<OperationId, Description>;
