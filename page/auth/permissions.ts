/**
 * The permissions of the person, by operation of the API: `can('postImportRetry')`. The gateway decides; the page hides
 * the operations that it would refuse.
 */
import { OPERATIONS, type ProtectedOperationId } from '../../src/contract/operations.ts';
import { login } from './login.ts';

/** Reads a signal: components that call it are drawn again when the permissions change. */
export function can(operation: ProtectedOperationId): boolean {
  const { value } = login;
  if (value.state !== 'in' && value.state !== 'ended') return false;
  return value.person.permissions.has(OPERATIONS[operation].permission);
}
