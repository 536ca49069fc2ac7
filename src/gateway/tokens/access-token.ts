/** Requires an access token and reads its caller (interface §5 point 3, decision §access-tokens-only). */

import { hash } from 'node:crypto';
import { permissionsIn, wordsIn } from '../../common/token-claims.ts';
import { CLOCK_TOLERANCE_S, SUBMITTER_ID_PATTERN } from '../../contract/limits.ts';
import { clientActor, personActor, TENANT_SEPARATOR } from '../../domain/actors.ts';
import type { Submitters } from '../../domain/product.ts';
import { invalidToken } from '../http-error.ts';
import type { Claims, ReadToken } from './json-web-token.ts';

export interface Caller {
  /** The client: `client_id`, else `azp`, else `sub`. */
  clientId: string;
  /** The owner of what it imports: the client with its submitters (decision §imports-have-an-owner). */
  tenant: string;
  /** As in the audit trail: the client, or the person who uses the web page. */
  actor: string;
  permissions: ReadonlySet<string>;
  /** Submitters whose products it may import; null for all (decision §imports-have-an-owner). */
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
/** Printable ASCII (RFC 6749 A.1), up to the length of the database column. */
const CLIENT_ID = /^[\x20-\x7E]{1,255}$/;
/** Any letters, without control characters and such that change the direction of a text. */
const PERSON_NAME = /^[^\p{C}]{1,255}$/u;
/** Claims that only ID tokens have (OpenID Connect Core §2, §3.3.2.11). */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash'];
/** `at+jwt` of RFC 9068, and the values of identity services that do not follow it. */
const HEADER_TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt'];

/**
 * Requires an access token, not an ID or refresh token. The token proves it by RFC 9068's header type, or by the claim of
 * an identity service without that header (`token_use` of Cognito, `typ` of Keycloak).
 *
 * @param acceptsPlain accepts tokens without a mark of their kind, unless they have a claim of an ID token
 * @throws HttpError 401
 */
export function requireAccessToken(token: ReadToken, acceptsPlain: boolean): void {
  const { claims } = token;
  requireKind(token, acceptsPlain);
  const { exp } = claims;
  if (typeof exp !== 'number') throw invalidToken('it has no expiry time');
  if (exp - beginningOf(claims) > LONGEST_LIFE_S + CLOCK_TOLERANCE_S)
    throw invalidToken(`it is valid for longer than ${LONGEST_LIFE_S / 3600} hours`);
  // RFC 7800: the caller must prove possession of the key, and this service does not support that proof.
  if (claims.cnf !== undefined) throw invalidToken('it is bound to a key, so it is not a bearer token');
}

function requireKind({ header, claims }: ReadToken, acceptsPlain: boolean): void {
  const type = typeof header.typ === 'string' ? mediaType(header.typ) : header.typ;
  const saysOther =
    !HEADER_TYPES.includes(type) ||
    (claims.token_use !== undefined && claims.token_use !== 'access') ||
    (claims.typ !== undefined && claims.typ !== 'Bearer');
  if (saysOther) throw invalidToken('it is not an access token');
  if (type === 'at+jwt' || claims.token_use === 'access' || claims.typ === 'Bearer') return;
  if (ID_TOKEN_CLAIMS.some((name) => claims[name] !== undefined))
    throw invalidToken('it is not an access token, but an ID token');
  if (!acceptsPlain)
    throw invalidToken(
      'it does not say that it is an access token (at+jwt, token_use or typ); AUTH_PLAIN_JWT=true accepts such tokens',
    );
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
  const submitters =
    submittersClaim === undefined
      ? null
      : wordsIn(claims, submittersClaim).filter((id) => SUBMITTER_ID_PATTERN.test(id));
  const actor = clientId === peopleClientId ? personOf(claims) : clientActor(clientId);
  const tenant = tenantOf(clientId, submitters);
  return { clientId, tenant, actor, permissions: permissionsIn(claims, permissionsClaim), submitters };
}

/**
 * OpenID Connect Core §5.7: `sub` alone identifies a person. `preferred_username` may change, and may have been another
 * person's.
 */
function personOf({ sub, preferred_username: username }: Claims): string {
  const id = typeof sub === 'string' && CLIENT_ID.test(sub) ? sub : 'unknown';
  return personActor(id, typeof username === 'string' && PERSON_NAME.test(username) ? username : null);
}

/**
 * The name of a tenant: the client id, followed by a digest of the submitters unless all are meant. Order and repetition
 * of the submitters do not matter.
 *
 * @param submitters of the access token; null for all
 */
export function tenantOf(clientId: string, submitters: Submitters): string {
  if (submitters === null) return clientId;
  const set = [...new Set(submitters)].sort();
  return clientId + TENANT_SEPARATOR + hash('sha256', set.join(' '));
}
