/** Access tokens by client credentials (interface §4.2), cached until shortly before they expire. */
import {
  allowInsecureRequests,
  type ClientAuth,
  clientCredentialsGrantRequest,
  customFetch,
  processClientCredentialsResponse,
} from 'oauth4webapi';
import * as z from 'zod';
import { retryAfterSeconds } from '../../src/common/retry-after.ts';
import { clientAuthentication } from './client-authentication.ts';
import type { ClientCredentials } from './client-credentials.ts';
import { ApiError } from './errors.ts';
import { reach } from './reach.ts';

export interface TokenOptions extends ClientCredentials {
  /** Token endpoint of the identity service. */
  tokenUrl: string;
  /** Issuer identifier of the identity service: the audience of a `private_key_jwt`; by default its token endpoint. */
  issuer?: string | undefined;
  /** Some identity services require the purpose of the token: RFC 6749 §3.3, or an audience. */
  scope?: string | undefined;
  audience?: string | undefined;
}

export interface AccessTokens {
  /** @throws ApiError, Unreachable, UnusableCredentials */
  current(): Promise<string>;
  /** Drops a refused token: the next call fetches a new one. */
  forget(): void;
}

/** RFC 6749 §5.2. */
const tokenError = z.object({ error: z.string(), error_description: z.string().optional() });

/** A new token is fetched this long before the old one expires. */
const MARGIN_MS = 30_000;

export function createAccessTokens(options: TokenOptions, signal?: AbortSignal): AccessTokens {
  const { tokenUrl, clientId, scope, audience, issuer = tokenUrl } = options;
  const server = { issuer, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  let authentication: ClientAuth | undefined;
  let known: { token: string; validUntil: number } | undefined;

  async function fetchToken(): Promise<string> {
    authentication ??= await clientAuthentication(options);
    const parameters = { ...(scope !== undefined && { scope }), ...(audience !== undefined && { audience }) };
    const response = await clientCredentialsGrantRequest(server, client, authentication, parameters, {
      // The caller decides which addresses may be plain http. Most of them are on the same machine.
      [allowInsecureRequests]: true,
      [customFetch]: (url, request) => reach('identity service', url, request as RequestInit, signal),
    });
    if (!response.ok) throw await refused(response);
    const answer = await processClientCredentialsResponse(server, client, response).catch(() => {
      throw new ApiError('identity service', response.status, `${tokenUrl} answered without an access token`);
    });
    const { access_token, expires_in = 0 } = answer;
    known = { token: access_token, validUntil: Date.now() + expires_in * 1000 - MARGIN_MS };
    return access_token;
  }

  async function refused(response: Response): Promise<ApiError> {
    const { data } = tokenError.safeParse(await response.json().catch(() => null));
    const reason = data ? ` (${[data.error, data.error_description].filter(Boolean).join(': ')})` : '';
    return new ApiError(
      'identity service',
      response.status,
      `No access token for client "${clientId}": ${tokenUrl} answered ${response.status}${reason}.`,
      { retryAfterSeconds: retryAfterSeconds(response.headers) },
    );
  }

  return {
    async current() {
      return known && known.validUntil > Date.now() ? known.token : fetchToken();
    },
    forget() {
      known = undefined;
    },
  };
}
