/**
 * Registers the custom search attributes, and uses them only after a successful registration
 * (decision §readable-runs).
 */
import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../domain/search-attributes.ts';

/** Temporal API, `temporal.api.enums.v1.IndexedValueType`. */
const INDEXED_VALUE_TYPE = { KEYWORD: 2, INT: 3 } as const;

export interface SearchAttributes {
  /** Start options with these attributes; none if they are not registered. */
  of(pairs: SearchAttributePair[]): { typedSearchAttributes?: TypedSearchAttributes };
}

/**
 * Registers the attributes in the namespace. A refusal is no error: workflows then start without attributes, because an
 * unregistered attribute makes every start fail.
 *
 * @param onRefused gets the reason, once
 */
export async function registerSearchAttributes(
  connection: Connection,
  namespace: string,
  onRefused: (reason: string) => void,
): Promise<SearchAttributes> {
  const registered = await register(connection, namespace).catch((error: Error) => {
    onRefused(error.message);
    return false;
  });
  return {
    of: (pairs) => (registered ? { typedSearchAttributes: new TypedSearchAttributes(pairs) } : {}),
  };
}

async function register(connection: Connection, namespace: string): Promise<boolean> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => !customAttributes?.[name]);
  if (missing.length === 0) return true;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name, type }) => [name, INDEXED_VALUE_TYPE[type]])),
    });
  } catch (error) {
    // Another process registered them first.
    if (!(isGrpcServiceError(error) && /already exists/i.test(error.details))) throw error;
  }
  return true;
}
