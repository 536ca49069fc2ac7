/** The forms of the ids that several parts of the service use. */
import { INSERT_PROCESS } from '../contract/statuses.ts';

/** Lower-case UUID as the schema's `UUID` type wants it. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Path of an import, below the base path of the API. */
export function packageImportPath(importId: number): string {
  return `/regulator/package-imports/${importId}`;
}

/** Path of an import on the web page, below the base path of the API. */
export function importScreenPath(importId: number): string {
  return `/app/imports/${importId}`;
}

/** Workflow id of an import. Derived from the import's uuid, so that a repeated request joins the running workflow. */
export function packageImportWorkflowId(importUuid: string): string {
  return `package-import-${importUuid}`;
}

/** Workflow id of a check (dry run): one per request. */
export function packageCheckWorkflowId(checkUuid: string): string {
  return `package-check-${checkUuid}`;
}

/** Workflow id of the retry of an import: one per request that has something to run. */
export function packageImportRetryWorkflowId(retryUuid: string): string {
  return `package-import-retry-${retryUuid}`;
}

/** Workflow id of the run over failures. @param tenant null for the one of operators */
export function failuresRunWorkflowId(tenant: string | null): string {
  return tenant === null ? 'failures-run' : `failures-run-${tenant}`;
}

/** Id of the one update that an import answers. It is the same for every repetition of the request. */
export function processPackageUpdateId(importUuid: string): string {
  return `process-package-${importUuid}`;
}

/** Workflow id of the n-th batch (from 1) of a large import. */
export function packageImportBatchWorkflowId(parentWorkflowId: string, batch: number): string {
  return `${parentWorkflowId}-batch-${batch}`;
}

/**
 * Workflow id of an insert. It has the product ID and nothing else. Temporal admits one running workflow per id, so a
 * product is never inserted twice at a time (decision §one-insert-per-product).
 */
export function insertWorkflowId(productId: string): string {
  return `${INSERT_PROCESS}-${productId}`;
}

/** Workflow id of one webhook delivery. */
export function webhookDeliveryWorkflowId(deliveryUuid: string): string {
  return `webhook-delivery-${deliveryUuid}`;
}

/** The header `webhook-id` of a message: the same for every attempt. */
export function webhookMessageId(deliveryUuid: string): string {
  return `msg_${deliveryUuid}`;
}

/**
 * Message-ID of the summary e-mail: fixed per import, so that mail clients recognise a second delivery as the same
 * mail.
 */
export function summaryMessageId(importUuid: string, mailDomain: string): string {
  return `<package-import-${importUuid}@${mailDomain}>`;
}
