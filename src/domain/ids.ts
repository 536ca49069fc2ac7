/** The forms of every id that more than one part of the service has to know. */
import { INSERT_PROCESS } from '../contract/statuses.ts';

/** Lower-case UUID as the schema's `UUID` type wants it. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Where an import is read, below the base path of the API. */
export function packageImportPath(importId: number): string {
  return `/regulator/package-imports/${importId}`;
}

/** Workflow id of an import. Derived from the import's uuid, so that a repeated request joins the running one. */
export function packageImportWorkflowId(importUuid: string): string {
  return `package-import-${importUuid}`;
}

/** Workflow id of the check of a package that is not imported (a dry run): one per request. */
export function packageCheckWorkflowId(checkUuid: string): string {
  return `package-check-${checkUuid}`;
}

/** Workflow id of running again what is left of an import: one per request that had something to run. */
export function packageImportRetryWorkflowId(retryUuid: string): string {
  return `package-import-retry-${retryUuid}`;
}

/** Id of the one update that an import answers: the same for every repetition of the request. */
export function processPackageUpdateId(importUuid: string): string {
  return `process-package-${importUuid}`;
}

/** Workflow id of the n-th batch (from 1) of a large import. */
export function packageImportBatchWorkflowId(parentWorkflowId: string, batch: number): string {
  return `${parentWorkflowId}-batch-${batch}`;
}

/**
 * Workflow id of an insert. It carries the product ID and nothing else: Temporal admits one running
 * workflow per id, and that is what keeps a product from being inserted twice at a time
 * (decision §one-insert-per-product).
 */
export function insertWorkflowId(productId: string): string {
  return `${INSERT_PROCESS}-${productId}`;
}

/** Workflow id of bringing one message to a client's webhook. */
export function webhookDeliveryWorkflowId(deliveryUuid: string): string {
  return `webhook-delivery-${deliveryUuid}`;
}

/** The header `webhook-id` of a message: the same for every try. */
export function webhookMessageId(deliveryUuid: string): string {
  return `msg_${deliveryUuid}`;
}

/** Message-ID of the summary e-mail: fixed per import, so that a second delivery is recognised as the same mail. */
export function summaryMessageId(importUuid: string, mailDomain: string): string {
  return `<package-import-${importUuid}@${mailDomain}>`;
}
