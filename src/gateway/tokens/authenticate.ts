/** Authentication (interface §5): a valid access token of the configured identity service, or 401. */
import { createPublicKey } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { Middleware, ParameterizedContext } from 'koa';
import koaJwt from 'koa-jwt';
import { CLOCK_TOLERANCE_S } from '../../contract/limits.ts';
import { HttpError, invalidToken, missingToken } from '../http-error.ts';
import type { GatewayContext, GatewayState } from '../route.ts';
import { type Caller, type ClaimNames, callerOf, requireAccessToken } from './access-token.ts';
import { type Claims, readToken } from './json-web-token.ts';
import { KeysUnavailable, type TokenKeys, UnknownKey } from './token-keys.ts';

export interface TokenRules extends ClaimNames {
  issuer: string;
  audience: string;
  keys: TokenKeys;
  /** As for `requireAccessToken`. Default: false. */
  acceptsPlain?: boolean | undefined;
}

/** Asymmetric signatures only: with a shared secret, everyone who can verify a token could issue one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];
const EDDSA = 'EdDSA';
const ACCEPTED: readonly unknown[] = [...ALGORITHMS, EDDSA];

/** koa-jwt leaves the claims in the request's state. */
interface VerifiedState extends GatewayState {
  claims?: Claims;
}

/**
 * Makes the check of tokens. It reads the caller from the token, and keeps nothing else of it.
 *
 * @throws HttpError 401, 500
 */
export function createAuthentication({
  issuer,
  audience,
  keys,
  acceptsPlain = false,
  ...claimNames
}: TokenRules): (ctx: GatewayContext) => Promise<Caller> {
  const verifyWithKoaJwt: Middleware<VerifiedState> = koaJwt({
    secret: (header: Claims) => keyFor(header),
    algorithms: ALGORITHMS,
    issuer,
    audience,
    clockTolerance: CLOCK_TOLERANCE_S,
    key: 'claims',
    getToken: bearerToken,
    // The types know neither asynchronous secrets nor `clockTolerance`.
  } as unknown as koaJwt.Options);

  async function keyFor({ kid }: Claims): Promise<string> {
    if (kid !== undefined && typeof kid !== 'string') throw new UnknownKey('its key is unknown');
    return keys.find(kid);
  }

  /** EdDSA (RFC 8037), which koa-jwt's library does not support. */
  async function verifyEdDsa(token: string, header: Claims): Promise<Claims> {
    const options = { algorithms: [EDDSA], issuer, audience, clockTolerance: CLOCK_TOLERANCE_S };
    const { payload } = await jwtVerify(token, createPublicKey(await keyFor(header)), options);
    return payload;
  }

  async function verify(
    ctx: ParameterizedContext<VerifiedState>,
    token: string,
    header: Claims,
  ): Promise<Claims> {
    try {
      if (header.alg === EDDSA) return await verifyEdDsa(token, header);
      await verifyWithKoaJwt(ctx, async () => {});
      const { claims = {} } = ctx.state;
      delete ctx.state.claims;
      return claims;
    } catch (error) {
      throw refusal((error as { originalError?: unknown }).originalError ?? error);
    }
  }

  return async (ctx) => {
    const token = bearerToken(ctx);
    const { header, claims: claimed } = readToken(token);
    if (!ACCEPTED.includes(header.alg)) throw invalidToken('its algorithm is not accepted');
    // Before the key look-up: tokens of other issuers must not use up the look-ups of valid clients.
    if (claimed.iss !== issuer) throw invalidToken('it was issued by another identity service');
    const claims = await verify(ctx, token, header);
    requireAccessToken({ header, claims }, acceptsPlain);
    return callerOf(claims, claimNames);
  };
}

/** Exactly one Authorization header, with exactly one bearer token (RFC 6750 §2.1). */
function bearerToken(ctx: GatewayContext): string {
  const headers = ctx.req.headersDistinct.authorization ?? [];
  if (headers.length === 0) throw missingToken();
  if (headers.length > 1) throw invalidToken('there is more than one Authorization header');
  const token = /^Bearer +([\w~+/.-]+=*) *$/i.exec(headers[0] ?? '')?.[1];
  if (token === undefined) throw invalidToken('the Authorization header is not of the form Bearer <token>');
  return token;
}

/** The refusal of a token with its reason for the client, or 500 `temporarily_unavailable` without the keys. */
function refusal(error: unknown): HttpError {
  if (error instanceof KeysUnavailable) {
    const message =
      'The access token cannot be checked: the keys of the identity service are not available. Try again later.';
    return new HttpError('temporarily_unavailable', message, { cause: error });
  }
  if (error instanceof UnknownKey) return invalidToken(error.message);
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (name === 'TokenExpiredError' || code === 'ERR_JWT_EXPIRED')
    return invalidToken('it has expired', error);
  if (name === 'NotBeforeError' || /"nbf"/.test(message ?? ''))
    return invalidToken('it is not valid yet', error);
  if (/audience|"aud"/.test(message ?? '')) return invalidToken('it is meant for another audience', error);
  return invalidToken('its signature or its form is invalid', error);
}
