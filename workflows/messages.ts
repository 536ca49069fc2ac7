/**
 * What the workflows are called, what they take and give, and how to talk to them while they run. The
 * gateway imports this module and no other of this folder.
 */
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ImportCounts } from '../src/domain/package-import.ts';
import type { ShownSubmissions } from '../src/domain/product-diff.ts';
import type { Submitters } from '../src/domain/submitters.ts';

export const WORKFLOW_TYPES = {
  packageImport: 'package-import',
  packageImportBatch: 'package-import-batch',
  packageImportRetry: 'package-import-retry',
  regulatorInsert: 'regulator-insert',
  packageCheck: 'package-check',
  webhookDelivery: 'webhook-delivery',
  mailDigests: 'mail-digests',
  reconcile: 'reconcile',
  retention: 'retention',
  statistics: 'statistics',
} as const;

/** Ids only: what the package holds stays in the database (decision §ids-not-contents). */
export interface PackageImportInput {
  importId: number;
  importUuid: string;
  /**
   * Set when an import whose workflow was lost is taken up again: products that have failed are then left
   * as they are, because nobody asked for a retry.
   */
  resumed?: boolean;
}

/** A ZIP that is not imported. */
export interface PackageCheckInput {
  checkUuid: string;
  storageKey: string;
  clientId: string;
  /** Whose products the client may import; absent or null for all. */
  submitters?: Submitters;
  /** Products are to be compared with these of what was inserted last; absent for no comparison. */
  diff?: ShownSubmissions;
}

export interface PackageImportBatchInput extends PackageImportInput {
  /** Number of the batch, from 1, in archive order. */
  batch: number;
}

/** Running again what is left of an import; which products those are is recorded. */
export interface PackageImportRetryInput {
  importId: number;
  retryUuid: string;
}

export interface RegulatorInsertInput {
  submissionId: number;
}

export interface WebhookDeliveryInput {
  deliveryUuid: string;
}

export interface WebhookDeliveryResult {
  delivered: boolean;
}

export interface PackageImportResult extends ImportCounts {
  inserted: number;
  insertFailed: number;
}

/** How a `regulator-insert` run ended, when it did not fail. */
export type RegulatorInsertResult =
  | { outcome: 'inserted'; caseId: string | null }
  /** Another submission with identical content was inserted meanwhile. */
  | { outcome: 'duplicate'; caseId: string | null; by: number }
  /** A newer submission of the product has been queued: nothing was done. */
  | { outcome: 'superseded'; by: number };

/**
 * The update that an upload waits for: settles when the package is extracted and every submission has
 * its queue result. Fails with the reason when the package cannot be read.
 */
export const processPackage = defineUpdate<ImportCounts>('process-package');

/** To a delivery whose message is pending once more: it goes again, also where the run was about to end. */
export const redeliver = defineSignal('redeliver');

/** From a batch to its import: every submission of the batch has its queue result. */
export const batchQueued = defineSignal<[{ batch: number }]>('batch-queued');
