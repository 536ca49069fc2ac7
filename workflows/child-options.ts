/** What all children of an import have in common, its inserts and its batches. */
import { type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import {
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../src/domain/search-attributes.ts';

/**
 * @param attributes by which operators find the child. One that is not registered would make the start fail, so
 *   a child gets them exactly if its parent was started with them.
 */
export function childOptions(attributes: SearchAttributePair[]) {
  const registered =
    workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.packageImportId) !== undefined;
  return {
    // The id is the product's, or the batch's: an earlier run of it may have ended.
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    // What has begun goes on when its import is terminated; whoever takes the import up again finds it.
    parentClosePolicy: ParentClosePolicy.ABANDON,
    // A cancelled import waits until every child has recorded its end.
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    ...(registered && { typedSearchAttributes: new TypedSearchAttributes(attributes) }),
  };
}
