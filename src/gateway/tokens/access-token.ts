/** What a verified token must be, and whom it speaks for (interface §5 point 3, decision §access-tokens-only). */
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
  /** Whom the audit trail names: the client, or the person behind the web page. */
  actor: string;
  permissions: ReadonlySet<string>;
  /** Whose products it may import and see; null for all (decision §products-belong-to-submitters). */
  submitters: Submitters;
}

/** Names of claims, dots for nesting. */
export interface ClaimNames {
  /** By default `permissions`, else `scope`. */
  permissionsClaim?: string | undefined;
  /** Without one all clients belong to one company. */
  submittersClaim?: string | undefined;
  /** The client whose tokens are those of people: the web page. */
  peopleClientId?: string | undefined;
}

/** Whoever gets hold of a token has it for so long; identity services issue them for minutes. */
const LONGEST_LIFE_S = 24 * 60 * 60;
/** By how much the clock of the identity service may differ from ours. */
export const CLOCK_TOLERANCE_S = 5;
/** What the database keeps, and far above what identity services issue. Printable ASCII: RFC 6749 A.1. */
const CLIENT_ID = /^[\x20-\x7E]{1,255}$/;
/** RFC 9068, and what identity services write that do not follow it. */
const HEADER_TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt'];

/**
 * Neither ID nor refresh token: RFC 9068's header type, or the claims that identity services use which write no
 * such header (`token_use` of Cognito, `typ` of Keycloak). It must not live for longer than it may.
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
  // RFC 7800: only who proves to have that key may use the token, and this service cannot ask for the proof.
  if (claims.cnf !== undefined) throw invalidToken('it is bound to a key and no bearer token');
}

/** When the life of a token began, in seconds since 1970: when it was issued, or became valid; now at the latest. */
function beginningOf({ iat, nbf }: Claims): number {
  const said = [iat, nbf].find((time) => typeof time === 'number' && time > 0);
  return Math.min(Number(said ?? Number.POSITIVE_INFINITY), Date.now() / 1000);
}

/** RFC 7515 §4.1.9: `application/` may be left out. */
function mediaType(typ: string): string {
  return typ.toLowerCase().replace(/^application\//, '');
}

/**
 * A token without the configured claim of submitters speaks for nobody; what in it is no ID of one is none.
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

/** OpenID Connect Core §5.1; `sub` is never absent from what is issued to people, but need not say anything to us. */
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
