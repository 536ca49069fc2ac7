/**
 * Names, inputs, results and messages of the workflows. The gateway imports this module and no other of this folder.
 */
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { PackageToCheck } from '../src/domain/package-check.ts';
import type { ImportCounts } from '../src/domain/package-import.ts';

export const WORKFLOW_TYPES = {
  packageImport: 'package-import',
  packageImportBatch: 'package-import-batch',
  packageImportRetry: 'package-import-retry',
  regulatorInsert: 'regulator-insert',
  packageCheck: 'package-check',
  failuresRun: 'failures-run',
  webhookDelivery: 'webhook-delivery',
  mailDigests: 'mail-digests',
  reconcile: 'reconcile',
  retention: 'retention',
  statistics: 'statistics',
} as const;

/** Ids only: the contents of the package stay in the database (decision §runs-in-temporal). */
export interface PackageImportInput {
  importId: number;
  importUuid: string;
  /**
   * Set when the lost workflow of an import or a batch is started again. Failed products are then not inserted again,
   * because nobody requested a retry.
   */
  resumed?: boolean;
}

/** Input of a dry run. */
export interface PackageCheckInput extends PackageToCheck {
  clientId: string;
}

export interface PackageImportBatchInput extends PackageImportInput {
  /** Number of the batch, from 1, in archive order. */
  batch: number;
}

/** Input of a retry. The database records its products. */
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

/** Result of a `regulator-insert` run that did not fail. */
export type RegulatorInsertResult =
  | { outcome: 'inserted'; caseId: string | null }
  /** Another submission with identical content was inserted meanwhile. */
  | { outcome: 'duplicate'; caseId: string | null; by: number }
  /** A newer submission of the product was queued: nothing was sent. */
  | { outcome: 'superseded'; by: number };

/** The update of an upload: completes when every submission has its queue result, or fails with the reason. */
export const processPackage = defineUpdate<ImportCounts>('process-package');

/** Signal to a delivery whose message is pending again: the run sends it again, also when it was about to end. */
export const redeliver = defineSignal('redeliver');

/** Signal from a batch to its import: every submission of the batch has its queue result. */
export const batchQueued = defineSignal<[{ batch: number }]>('batch-queued');
