/** Common options of an import's children: its inserts and its batches. */
import { type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import { ParentClosePolicy, workflowInfo } from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../src/domain/start-options.ts';

/**
 * @param attributes search attributes of the child. An unregistered one would make the start fail: a child gets them if
 *   and only if its parent was started with them.
 */
export function childOptions(attributes: SearchAttributePair[]) {
  const registered =
    workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.packageImportId) !== undefined;
  return {
    // Children continue after the termination of their import. A new run of the import finds them.
    parentClosePolicy: ParentClosePolicy.ABANDON,
    ...(registered && { typedSearchAttributes: new TypedSearchAttributes(attributes) }),
  };
}
