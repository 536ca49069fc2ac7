/**
 * The permissions in an access token, as the gateway reads them (decision §access-tokens-only): the configured claim,
 * else `permissions`, else `scope`, each a list or words. An unreadable token has none.
 *
 * @param claim dots for nesting
 */
export function permissionsIn(token: string, claim: string | null): ReadonlySet<string> {
  const claims = claimsOf(token);
  const configured = claim === null ? undefined : valueAt(claims, claim);
  const value = claim === null ? (claims.permissions ?? claims.scope) : configured;
  if (typeof value === 'string') return new Set(value.split(' ').filter((word) => word !== ''));
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
