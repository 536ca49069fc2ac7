/** Requires an access token and reads its caller (interface §5 point 3, decision §access-tokens-only). */
import { clientActor, personActor } from '../../domain/actors.ts';
import { SUBMITTER_ID_PATTERN, type Submitters } from '../../domain/submitters.ts';
import { invalidToken } from '../http-error.ts';
import type { Claims, ReadToken } from './json-web-token.ts';

export interface Caller {
  /**
   * The client that owns what it imports: `client_id`, else `azp`, else `sub`
   * (decision §imports-have-an-owner).
   */
  clientId: string;
  /** The name in the audit trail: the client, or the person who uses the web page. */
  actor: string;
  permissions: ReadonlySet<string>;
  /** Submitters whose products it may import and see; null for all (decision §products-belong-to-submitters). */
  submitters: Submitters;
}

/** Names of claims. A dot separates nested names. */
export interface ClaimNames {
  /** By default `permissions`, else `scope`. */
  permissionsClaim?: string | undefined;
  /** Claim with the caller's submitters. If it is not configured, every caller may use all submitters. */
  submittersClaim?: string | undefined;
  /** Client ID of the web page, whose tokens belong to people. */
  peopleClientId?: string | undefined;
}

/** Longest lifetime of a token: limits the use of a stolen one. Identity services issue tokens for minutes. */
const LONGEST_LIFE_S = 24 * 60 * 60;
/** Tolerated clock skew between the identity service and this service. */
export const CLOCK_TOLERANCE_S = 5;
/** Printable ASCII (RFC 6749 A.1), up to the length of the database column. */
const CLIENT_ID = /^[\x20-\x7E]{1,255}$/;
/** `at+jwt` of RFC 9068, and the values of identity services that do not follow it. */
const HEADER_TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt'];

/**
 * Requires an access token, not an ID or refresh token. The token proves it by RFC 9068's header type, or by the claim of
 * an identity service without that header (`token_use` of Cognito, `typ` of Keycloak). Its lifetime must not exceed
 * `longestLifeS`.
 *
 * @param longestLifeS seconds
 * @throws HttpError 401
 */
export function requireAccessToken({ header, claims }: ReadToken, longestLifeS = LONGEST_LIFE_S): void {
  const type = typeof header.typ === 'string' ? mediaType(header.typ) : header.typ;
  const saysOther =
    !HEADER_TYPES.includes(type) ||
    (claims.token_use !== undefined && claims.token_use !== 'access') ||
    (claims.typ !== undefined && claims.typ !== 'Bearer');
  const saysAccess = type === 'at+jwt' || claims.token_use === 'access' || claims.typ === 'Bearer';
  if (saysOther || !saysAccess) throw invalidToken('it is not an access token');
  const { exp } = claims;
  if (typeof exp !== 'number') throw invalidToken('it does not expire');
  if (exp - beginningOf(claims) > longestLifeS + CLOCK_TOLERANCE_S)
    throw invalidToken(`it is valid for longer than ${longestLifeS / 3600} hours`);
  // RFC 7800: the caller must prove possession of the key, and this service does not support that proof.
  if (claims.cnf !== undefined) throw invalidToken('it is bound to a key and no bearer token');
}

/** Start of a token's lifetime in seconds since 1970: `iat`, else `nbf`, and now at the latest. */
function beginningOf({ iat, nbf }: Claims): number {
  const said = [iat, nbf].find((time) => typeof time === 'number' && time > 0);
  return Math.min(Number(said ?? Number.POSITIVE_INFINITY), Date.now() / 1000);
}

/** RFC 7515 §4.1.9: the prefix `application/` is optional. */
function mediaType(typ: string): string {
  return typ.toLowerCase().replace(/^application\//, '');
}

/**
 * The caller that the claims name. A token without the configured submitters claim has no submitters. Values that are not
 * valid submitter IDs are ignored.
 *
 * @throws HttpError 401
 */
export function callerOf(
  claims: Claims,
  { permissionsClaim, submittersClaim, peopleClientId }: ClaimNames,
): Caller {
  const clientId = [claims.client_id, claims.azp, claims.sub].find((id) => id != null && id !== '');
  if (typeof clientId !== 'string' || !CLIENT_ID.test(clientId)) throw invalidToken('it names no client');
  const granted =
    permissionsClaim === undefined ? (claims.permissions ?? claims.scope) : claimAt(claims, permissionsClaim);
  const submitters =
    submittersClaim === undefined
      ? null
      : listOf(claimAt(claims, submittersClaim)).filter((id) => SUBMITTER_ID_PATTERN.test(id));
  const actor = clientId === peopleClientId ? personActor(nameOf(claims)) : clientActor(clientId);
  return { clientId, actor, permissions: new Set(listOf(granted)), submitters };
}

/** OpenID Connect Core §5.1. Tokens of people always have `sub`, but it may be an opaque ID. */
function nameOf({ preferred_username: username, sub }: Claims): string {
  const name = [username, sub].find((one) => typeof one === 'string' && CLIENT_ID.test(one));
  return typeof name === 'string' ? name : 'unknown';
}

function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>((value, key) => {
    const inside = value !== null && typeof value === 'object' && Object.hasOwn(value, key);
    return inside ? (value as Claims)[key] : undefined;
  }, claims);
}

function listOf(granted: unknown): string[] {
  if (typeof granted === 'string') return granted.split(' ').filter((word) => word !== '');
  return Array.isArray(granted) ? granted.filter((word) => typeof word === 'string') : [];
}
