/** Start options of an insert. An import starts its inserts as their parent; the gateway starts a single one. */
import type { Fairness } from './fairness.ts';
import { insertWorkflowId } from './ids.ts';
import { importAttributes, SEARCH_ATTRIBUTES } from './search-attributes.ts';
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

/** What a failed `regulator-insert` run adds to its memo, for operators. */
export interface FailedInsertMemo {
  /** `Step 4 of 6 failed: Send the design`; null if it failed before its first step. */
  failedStep: string | null;
  reason: string;
}

/** Start options of a `regulator-insert` workflow, and its search attributes, which not every server knows. */
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
