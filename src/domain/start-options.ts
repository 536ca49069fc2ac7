/**
 * Start options of workflows: inserts, search attributes, and fairness keys for shared workers
 * (decision §fairness-keys). Temporal dispatches the keys in rotation, however many tasks wait under each.
 */
import { insertWorkflowId } from './ids.ts';
import { TASK_QUEUES } from './task-queues.ts';

export interface InsertToStart {
  submissionId: number;
  productId: string;
}

export interface InsertOfImport extends InsertToStart {
  importId: number;
  /** By default, the insert inherits the fairness key of the run that starts it. */
  fairness?: Fairness | undefined;
}

/** Memo of a `regulator-insert` run: names its submission without a query to its worker. */
export interface InsertMemo {
  submissionId: number;
}

/** Memo that a failed `regulator-insert` run adds, for operators. */
export interface FailedInsertMemo {
  /** `Step 4 of 6 failed: Send the design`; null if it failed before its first step. */
  failedStep: string | null;
  reason: string;
}

/**
 * Start options of a `regulator-insert` workflow, and its search attributes, which not every server knows. An import
 * starts its inserts as their parent; the gateway starts a single one.
 */
export function insertStart({ importId, submissionId, productId, fairness }: InsertOfImport) {
  return {
    options: {
      workflowId: insertWorkflowId(productId),
      taskQueue: TASK_QUEUES.regulatorInsert,
      args: [{ submissionId }] as [{ submissionId: number }],
      memo: { submissionId } satisfies InsertMemo,
      staticSummary: `Insert of product ${productId} (submission ${submissionId})`,
      ...fairness,
    },
    attributes: [
      ...importAttributes(importId),
      { key: SEARCH_ATTRIBUTES.submissionId, value: submissionId },
      { key: SEARCH_ATTRIBUTES.productId, value: productId },
    ],
  };
}

/** Custom search attributes of the workflows, by which operators find runs. */
export const SEARCH_ATTRIBUTES = {
  packageImportId: { name: 'PackageImportId', type: 'INT' },
  submissionId: { name: 'SubmissionId', type: 'INT' },
  productId: { name: 'ProductId', type: 'KEYWORD' },
} as const;

/** Attributes of the runs of an import: its own and those of its batches. */
export function importAttributes(importId: number) {
  return [{ key: SEARCH_ATTRIBUTES.packageImportId, value: importId }];
}

/** Temporal allows 64 bytes, and the size suffix has to fit as well. */
const CLIENT_LENGTH = 48;

/** Temporal's start option for a workflow and everything that it starts. */
export interface Fairness {
  priority: { fairnessKey: string };
}

/**
 * The fairness key of a client's imports and checks, which share one queue.
 *
 * @param clientId any text, as tokens have it. Two long ids with the same end share a key and nothing else
 */
export function fairnessOfClient(clientId: string): Fairness {
  const readable = clientId.replace(/[^\w.@-]/g, '_').slice(-CLIENT_LENGTH);
  return { priority: { fairnessKey: `client-${readable}` } };
}

/**
 * The fairness key of a client's inserts, one per order of magnitude of the import. A small import does not wait for a
 * large one of the same client. A client has at most as many keys as there are sizes, however many imports it has.
 *
 * @param client the client's fairness key; a run that was started without one has none, and neither have its inserts
 * @param products of the import, or 1 for a single insert
 */
export function fairnessOfInserts(client: string | undefined, products: number): Fairness | undefined {
  if (!client) return undefined;
  const size = 10 ** (String(products).length - 1);
  return { priority: { fairnessKey: `${client}/${size}` } };
}
