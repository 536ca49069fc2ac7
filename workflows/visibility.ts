/** What operators see of a run in the Temporal Web UI: search attributes, memo, static summaries. */
import { type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import type { InsertToStart } from '../activities/index.ts';
import { type InsertMemo, SEARCH_ATTRIBUTES } from '../src/domain/search-attributes.ts';

const { packageImportId, submissionId: submissionIdKey, productId: productIdKey } = SEARCH_ATTRIBUTES;

/**
 * Options of a child that make it readable. An attribute that is not registered would make the start
 * fail, so a child gets them exactly if its parent was started with them.
 */
export function childAttributes(pairs: SearchAttributePair[]) {
  const registered = workflowInfo().typedSearchAttributes.get(packageImportId) !== undefined;
  return registered ? { typedSearchAttributes: new TypedSearchAttributes(pairs) } : {};
}

export function importAttribute(importId: number): SearchAttributePair {
  return { key: packageImportId, value: importId };
}

export function insertAttributes(importId: number, { submissionId, productId }: InsertToStart) {
  const memo: InsertMemo = { submissionId };
  return {
    memo: { ...memo },
    staticSummary: `Insert of product ${productId} (submission ${submissionId})`,
    ...childAttributes([
      importAttribute(importId),
      { key: submissionIdKey, value: submissionId },
      { key: productIdKey, value: productId },
    ]),
  };
}

/** What a timer is for, in the timeline of the Web UI. */
export const TIMERS = {
  queuing: { summary: 'Until the next look at how far the queuing is' },
  inserting: { summary: 'Until the next look at how far the inserts are' },
} as const;
