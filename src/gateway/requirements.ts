/** What an operation requires of its caller and of the service. */
import type { Permission } from '../contract/operations.ts';
import { sessionMessage } from '../domain/regulator.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { missingPermission, sessionRequired } from './http-error.ts';
import type { Caller } from './tokens/access-token.ts';

/** @throws HttpError 403 */
export function requirePermission({ permissions }: Caller, permission: Permission): void {
  if (!permissions.has(permission)) throw missingPermission(permission);
}

/** Without an active regulator session, no accepted product could be inserted. @throws HttpError 412 */
export async function requireSession(sessions: GatewayDependencies['sessions']): Promise<void> {
  const state = await sessions.state();
  if (state.status !== 'active') throw sessionRequired(sessionMessage(state), state.status);
}
