/**
 * The client library: the functions of the command line for programs (docs/client-library.md). The exports of this file
 * are the public API. Everything else in this folder may change.
 */
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { GREATEST_PAGE } from '../../src/contract/limits.ts';
import type {
  AuditPage,
  AuditQuery,
  DryRunResult,
  ImportPage,
  ImportReport,
  ImportResult,
  ImportRetry,
  ImportSummary,
  Submission,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryQuery,
} from '../../src/contract/types.ts';
import { createApiClient } from './api-client.ts';
import { followImport } from './follow-import.ts';
import type { ClientOptions, FollowOptions, ImportQuery } from './options.ts';
import { packageImportsOf } from './package-imports.ts';

export type { Retry, RetryPolicy } from '../../src/common/retrying.ts';
export type { AuditEvent } from '../../src/contract/types.ts';
export { ApiError, FileChanged, ForeignAnswer, isTemporary, Unreachable } from './errors.ts';
export {
  type AuthMethod,
  type ClientOptions,
  type FollowOptions,
  type ImportQuery,
  UnusableCredentials,
} from './options.ts';

export type {
  AuditPage,
  AuditQuery,
  DryRunResult,
  ImportPage,
  ImportReport,
  ImportResult,
  ImportRetry,
  ImportSummary,
  Submission,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryQuery,
};

export interface UploadOptions {
  comment?: string | undefined;
  /** Recipient of the summary. */
  email?: string | undefined;
  /** An import whose failed product file is corrected: the file to send is then that XML, under its name there. */
  mends?: number | undefined;
  /** The default is the name of the file. */
  fileName?: string | undefined;
  /** Gets the number of sent bytes. It restarts at 0 with each attempt. */
  onProgress?: ((sentBytes: number) => void) | undefined;
}

export interface ImportOptions extends UploadOptions {
  /** Key of an earlier upload whose answer was lost, to get that answer; by default a new one. */
  idempotencyKey?: string | undefined;
}

/** Answer to a repeated run of a submission. */
export interface RunAnswer {
  /** False: another run of the product conflicts, or it could not be started. */
  queued: boolean;
  message: string;
}

/**
 * Every method rejects with ApiError for an error answer, with Unreachable when no answer came, and with the
 * reason of the client's signal once that is aborted.
 */
export interface PackageImportClient {
  /** Sends a package, and resolves once its products are queued. Retries use the same key, so it is imported once. */
  importPackage(path: string, options?: ImportOptions): Promise<ImportResult>;
  /** Describes the effect of an import of the package. */
  dryRun(path: string, options?: UploadOptions): Promise<DryRunResult>;
  /** Resolves once everything of an import has ended: inserts and summary e-mail. Tolerates outages of minutes. */
  follow(importId: number, options?: FollowOptions): Promise<ImportReport>;
  report(importId: number): Promise<ImportReport>;
  /** One page of imports, newest first. */
  imports(query?: ImportQuery): Promise<ImportPage>;
  /** The products of an import as CSV (RFC 4180), in pieces, safe for spreadsheets. */
  productsCsv(importId: number): Promise<AsyncIterable<string>>;
  /** The files of an import that failed, were skipped or cannot be read, as CSV in pieces, safe for spreadsheets. */
  filesCsv(importId: number): Promise<AsyncIterable<string>>;
  /** A ZIP of the product files that failed. Its body is not read yet. */
  repairPack(importId: number): Promise<Response>;
  /** A product file that failed, as it was uploaded. Correct it and send it with `mends`. Its body is not read yet. */
  failedFile(importId: number, xmlFile: string): Promise<Response>;
  /** The package as it was uploaded, until retention removes it. Its body is not read yet. */
  originalPackage(importId: number): Promise<Response>;
  /** Runs the insert of a submission again, if its `actions` offer that. */
  retry(submissionId: number): Promise<RunAnswer>;
  /**
   * Starts the retry of everything in an import that failed or was not queued, and returns the first results. The retry
   * continues in the service. A repeated call joins the same retry.
   */
  retryImport(importId: number): Promise<ImportRetry>;
  /** Further results of a retry. `after` is `next_after` of the previous page. */
  retryResults(importId: number, after: number): Promise<ImportRetry>;
  /** Ends a running import. Inserted products stay. A repeated call changes nothing. */
  cancelImport(importId: number): Promise<ImportSummary>;
  /**
   * A ZIP with all records and files of a product. Its body is not read yet.
   *
   * @param before only submissions older than this one, for a product with more files than a dossier holds
   */
  dossier(productId: string, before?: number): Promise<Response>;
  /** One page of the audit trail, newest first; for operators. */
  auditEvents(query?: AuditQuery): Promise<AuditPage>;
  /** The webhook, without its secret. Without a webhook `updated_at` is null. */
  webhook(): Promise<Webhook>;
  /**
   * Registers the URL of the webhook, or changes it. Null: only uploads with a `webhook_url` cause messages. The first
   * answer has the secret.
   */
  setWebhook(url: string | null): Promise<Webhook>;
  /** The webhook with a new secret. The previous secret also signs messages for a day. */
  rotateWebhookSecret(): Promise<Webhook>;
  /** False if there was no webhook. */
  deleteWebhook(): Promise<boolean>;
  /** Sends a test message to the webhook. */
  testWebhook(): Promise<WebhookDelivery>;
  /** One page of messages to webhooks, newest first. */
  webhookDeliveries(query?: WebhookDeliveryQuery): Promise<WebhookDeliveryPage>;
  /** Sends a message again, under the same id. */
  redeliverWebhook(deliveryId: number): Promise<WebhookDelivery>;
  /** An access token, cached while it is valid. */
  accessToken(): Promise<string>;
}

export function createPackageImportClient(options: ClientOptions): PackageImportClient {
  const api = createApiClient(options);
  const imports = packageImportsOf(api);
  return {
    async importPackage(path, { idempotencyKey = randomUUID(), ...upload } = {}) {
      return (await imports.upload({ ...(await fileOf(path, upload)), idempotencyKey })).data;
    },
    async dryRun(path, upload = {}) {
      return (await imports.dryRun(await fileOf(path, upload))).data;
    },
    follow: (importId, follow) => followImport(api, importId, follow),
    report: async (importId) => (await imports.report(importId)).data,
    imports: async (query) => (await imports.list(query)).data,
    productsCsv: (importId) => imports.csv(importId, 'products'),
    filesCsv: (importId) => imports.csv(importId, 'files'),
    repairPack: (id) => api.download('getRepairPack', { params: { id } }),
    failedFile: (id, xml_file) => api.download('getFailedFile', { params: { id, xml_file } }),
    originalPackage: (id) => api.download('getOriginalPackage', { params: { id } }),
    async retry(submissionId) {
      const { status, message } = await imports.runInsert(submissionId);
      return { queued: status === 202, message };
    },
    retryImport: async (id) =>
      (await api.call('postImportRetry', { params: { id }, query: { limit: GREATEST_PAGE } })).data,
    retryResults: async (id, after) =>
      (await api.call('getImportRetry', { params: { id }, query: { after, limit: GREATEST_PAGE } })).data,
    cancelImport: async (id) => (await api.call('postImportCancellation', { params: { id } })).data,
    dossier: (product_id, before) =>
      api.download('getDossier', { params: { product_id }, query: { before } }),
    auditEvents: async (query) => (await api.call('getAuditEvents', { query: query ?? {} })).data,
    webhook: async () => (await api.call('getWebhook')).data,
    setWebhook: async (url) => (await api.call('putWebhook', { body: { url } })).data,
    rotateWebhookSecret: async () => (await api.call('postWebhookSecret')).data,
    deleteWebhook: async () => (await api.call('deleteWebhook')).data.removed,
    testWebhook: async () => (await api.call('postWebhookTest')).data,
    webhookDeliveries: async (query = {}) => (await api.call('getWebhookDeliveries', { query })).data,
    redeliverWebhook: async (id) => (await api.call('postWebhookRedelivery', { params: { id } })).data,
    accessToken: () => api.accessToken(),
  };
}

async function fileOf(path: string, { fileName = basename(path), ...upload }: UploadOptions) {
  return { ...upload, path, fileName, sizeBytes: (await stat(path)).size };
}
