/**
 * What the person may do. The gateway decides; this only keeps from the page what it would refuse. Asked by the
 * operation of the API (`can('postImportRetry')`), so that no permission is named here.
 */
import { REQUIRED_PERMISSION } from '../api/generated/permissions.ts';
import { login } from './login.ts';

export type Operation = keyof typeof REQUIRED_PERMISSION;

/** Whether the person may call the operation. Reads a signal: what is drawn by it is drawn anew when it changes. */
export function can(operation: Operation): boolean {
  const { value } = login;
  if (value.state !== 'in' && value.state !== 'ended') return false;
  return value.person.permissions.has(REQUIRED_PERMISSION[operation]);
}
