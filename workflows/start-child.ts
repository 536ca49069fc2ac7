/** Starts the children of an import: its inserts, its batches, and its webhook deliveries. */
import {
  type SearchAttributePair,
  TypedSearchAttributes,
  type WithWorkflowArgs,
  type Workflow,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import {
  type ChildWorkflowHandle,
  type ChildWorkflowOptions,
  ParentClosePolicy,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../src/domain/start-options.ts';

/**
 * Starts a child. Null if a run with its workflow id is under way, for example of a run before a reset.
 *
 * @param attributes search attributes of the child. An unregistered one would make the start fail: a child gets them if
 *   and only if its parent was started with them.
 */
export async function startUnlessRunning<T extends Workflow>(
  type: string,
  attributes: SearchAttributePair[],
  options: WithWorkflowArgs<T, ChildWorkflowOptions>,
): Promise<ChildWorkflowHandle<T> | null> {
  const registered =
    workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.packageImportId) !== undefined;
  try {
    return await startChild<T>(type, {
      ...options,
      // Children continue after the termination of their import. A new run of the import finds them.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      ...(registered && { typedSearchAttributes: new TypedSearchAttributes(attributes) }),
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    throw error;
  }
}
