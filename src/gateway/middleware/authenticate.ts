/** Who is calling (interface §5): a valid access token of our identity service, or 401. */
import { createPublicKey } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import type { Context, Middleware } from 'koa';
import koaJwt from 'koa-jwt';
import { messageOf } from '../../domain/errors.ts';
import { HttpError, invalidToken, missingToken } from '../http-error.ts';
import { KeysUnavailable, type TokenKeys, UnknownKey } from '../token-keys.ts';

export interface Caller {
  /** The client that owns what it imports: `client_id`, else `azp`, else `sub` (design §5). */
  clientId: string;
  permissions: ReadonlySet<string>;
}

export interface TokenRules {
  issuer: string;
  audience: string;
  keys: TokenKeys;
  /** Claim with the permissions, dots for nesting; by default `permissions`, else `scope`. */
  permissionsClaim?: string | undefined;
}

type Claims = Record<string, unknown>;

/** Signatures by private key only: a shared secret would make everyone who can check a token an issuer. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];
const EDDSA = 'EdDSA';
const CLOCK_TOLERANCE_S = 5;

/** Sets `ctx.state.caller`. Everything else that was in the token is left behind. */
export function authenticate({ issuer, audience, keys, permissionsClaim }: TokenRules): Middleware {
  const verifyWithKoaJwt = koaJwt({
    secret: (header: { kid?: string }, payload: Claims) => keyFor(header, payload),
    algorithms: ALGORITHMS,
    issuer,
    audience,
    clockTolerance: CLOCK_TOLERANCE_S,
    key: 'claims',
    getToken: (ctx: Context) => ctx.state.token as string,
  } as unknown as koaJwt.Options);

  /** Tokens of other issuers must not use up the key look-ups of honest clients. */
  async function keyFor({ kid }: { kid?: string }, payload: Claims): Promise<string> {
    if (payload.iss !== issuer) throw new Error('it was issued by another identity service');
    return keys.find(kid);
  }

  /** EdDSA (RFC 8037), which the library below koa-jwt does not know. */
  async function verifyEdDsa(token: string): Promise<Claims> {
    const options = { algorithms: [EDDSA], issuer, audience, clockTolerance: CLOCK_TOLERANCE_S };
    const { kid } = decodeProtectedHeader(token);
    const key = await keyFor(kid === undefined ? {} : { kid }, decodeJwt(token));
    const { payload } = await jwtVerify(token, createPublicKey(key), options);
    return payload;
  }

  async function verify(ctx: Context, token: string, algorithm: unknown): Promise<Claims> {
    try {
      if (algorithm === EDDSA) return await verifyEdDsa(token);
      await verifyWithKoaJwt(ctx, async () => {});
      return ctx.state.claims as Claims;
    } catch (error) {
      throw refusal((error as { originalError?: unknown }).originalError ?? error);
    }
  }

  return async (ctx, next) => {
    const token = bearerToken(ctx);
    ctx.state.token = token;
    const header = headerOf(token);
    const claims = await verify(ctx, token, header.alg);
    requireAccessToken(header, claims);
    delete ctx.state.token;
    ctx.state.caller = callerOf(claims, permissionsClaim);
    await next();
  };
}

/** Exactly one Authorization header, with exactly one bearer token (RFC 6750 §2.1). */
function bearerToken(ctx: Context): string {
  const headers = ctx.req.headersDistinct.authorization ?? [];
  if (headers.length === 0) throw missingToken();
  if (headers.length > 1) throw invalidToken('there is more than one Authorization header');
  const token = /^Bearer +([\w~+/.-]+=*) *$/i.exec(headers[0] ?? '')?.[1];
  if (token === undefined) throw invalidToken('the Authorization header is not of the form Bearer <token>');
  return token;
}

function headerOf(token: string): Claims {
  try {
    const header = decodeProtectedHeader(token);
    if (header.crit !== undefined) throw new Error('crit');
    return header;
  } catch (error) {
    const critical = messageOf(error) === 'crit';
    throw invalidToken(critical ? 'it has critical header parameters' : 'it is not a JSON Web Token');
  }
}

/**
 * Neither ID nor refresh token: RFC 9068 header type, or the claims that identity services use which
 * write no such header.
 */
function requireAccessToken(header: Claims, claims: Claims): void {
  const type = String(header.typ ?? '')
    .toLowerCase()
    .replace(/^application\//, '');
  const saysOther =
    (claims.token_use !== undefined && claims.token_use !== 'access') ||
    (claims.typ !== undefined && claims.typ !== 'Bearer');
  const saysAccess = type === 'at+jwt' || claims.token_use === 'access' || claims.typ === 'Bearer';
  if (saysOther || !saysAccess) throw invalidToken('it is not an access token');
  if (typeof claims.exp !== 'number') throw invalidToken('it does not expire');
}

function callerOf(claims: Claims, permissionsClaim: string | undefined): Caller {
  const clientId = [claims.client_id, claims.azp, claims.sub].find(
    (id) => typeof id === 'string' && id !== '',
  );
  if (clientId === undefined) throw invalidToken('it names no client');
  const granted =
    permissionsClaim === undefined ? (claims.permissions ?? claims.scope) : claimAt(claims, permissionsClaim);
  return { clientId: clientId as string, permissions: new Set(listOf(granted)) };
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

/** Why a token is refused, in words for the client; or our own outage, for which it is not to blame. */
function refusal(error: unknown): HttpError {
  if (error instanceof KeysUnavailable) {
    return new HttpError(
      500,
      'The access token cannot be checked: the keys of the identity service cannot be looked up. Try again later.',
      {
        cause: error,
      },
    );
  }
  if (error instanceof UnknownKey) return invalidToken(error.message, error);
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (name === 'TokenExpiredError' || code === 'ERR_JWT_EXPIRED')
    return invalidToken('it has expired', error);
  if (name === 'NotBeforeError') return invalidToken('it is not valid yet', error);
  if (/issue/.test(message ?? '')) return invalidToken('it was issued by another identity service', error);
  if (/audience|"aud"/.test(message ?? '')) return invalidToken('it is meant for another audience', error);
  return invalidToken('its signature or its form is not accepted', error);
}
