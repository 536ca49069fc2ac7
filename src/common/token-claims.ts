/** Claims of an access token, as the gateway and the web page read them (decision §access-tokens-only). Pure. */

type Claims = Readonly<Record<string, unknown>>;

/** The permissions in the configured claim, else in `permissions`, else in `scope`. */
export function permissionsIn(claims: Claims, claim: string | null | undefined): ReadonlySet<string> {
  return new Set(claim == null ? wordsOf(claims.permissions ?? claims.scope) : wordsIn(claims, claim));
}

/** The values of a claim that is a list, or words with blanks between. @param path dots for nesting */
export function wordsIn(claims: Claims, path: string): string[] {
  // A claim may have dots in its name, as those that are URLs.
  if (Object.hasOwn(claims, path)) return wordsOf(claims[path]);
  const value = path.split('.').reduce<unknown>((outer, key) => {
    const isInside = outer !== null && typeof outer === 'object' && Object.hasOwn(outer, key);
    return isInside ? (outer as Claims)[key] : undefined;
  }, claims);
  return wordsOf(value);
}

function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ').filter((word) => word !== '');
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
}
