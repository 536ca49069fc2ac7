/**
 * What the person may do. The gateway decides; this only keeps from the page what it would refuse. Asked by the
 * operation of the API (`can('postImportRetry')`), so that no permission is named here.
 */
import { OPERATIONS, type ProtectedOperationId } from '../../src/contract/operations.ts';
import { login } from './login.ts';

/** Whether the person may call the operation. Reads a signal: what is drawn by it is drawn anew when it changes. */
export function can(operation: ProtectedOperationId): boolean {
  const { value } = login;
  if (value.state !== 'in' && value.state !== 'ended') return false;
  return value.person.permissions.has(OPERATIONS[operation].permission);
}
