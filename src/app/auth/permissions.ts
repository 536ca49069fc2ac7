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

/**
 * Of an access token: the claim that the service is configured with, else `permissions`, else `scope`, each a list or
 * words, as the gateway reads them (architecture §access-tokens-only). None of a token that cannot be read.
 *
 * @param claim dots for nesting
 */
export function permissionsIn(token: string, claim: string | null): ReadonlySet<string> {
  const claims = claimsOf(token);
  const configured = claim === null ? undefined : valueAt(claims, claim);
  const value = claim === null ? (claims.permissions ?? claims.scope) : configured;
  if (typeof value === 'string') return new Set(value.split(' '));
  return new Set(Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);
}

function claimsOf(token: string): Record<string, unknown> {
  try {
    const [, payload = ''] = token.split('.');
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (c) =>
      c.charCodeAt(0),
    );
    return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function valueAt(claims: Record<string, unknown>, path: string): unknown {
  // A claim may have dots in its name, as those that are URLs.
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], claims);
}
