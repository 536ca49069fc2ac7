/** Common options of an import's children: its inserts and its batches. */
import { type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import {
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../src/domain/start-options.ts';

/**
 * @param attributes search attributes of the child. An unregistered one would make the start fail: a child gets them if
 *   and only if its parent was started with them.
 */
export function childOptions(attributes: SearchAttributePair[]) {
  const registered =
    workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.packageImportId) !== undefined;
  return {
    // The id belongs to the product or the batch: an earlier run may have ended under it.
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    // Children continue after the termination of their import. A new run of the import finds them.
    parentClosePolicy: ParentClosePolicy.ABANDON,
    // A child that is cancelled and then terminated cannot record its end: its parent does.
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    ...(registered && { typedSearchAttributes: new TypedSearchAttributes(attributes) }),
  };
}
