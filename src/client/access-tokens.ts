/** Access tokens by client credentials (interface §4.2), kept until they are about to expire. */
import * as z from 'zod';
import { retryAfterSeconds } from '../domain/retry-after.ts';
import { ApiError } from './errors.ts';
import { reach } from './reach.ts';

export interface TokenOptions {
  /** Token endpoint of the identity service. */
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  /** Some identity services want to be told what the token is for: RFC 6749 §3.3, or an audience. */
  scope?: string | undefined;
  audience?: string | undefined;
}

export interface AccessTokens {
  /** @throws ApiError, Unreachable */
  current(): Promise<string>;
  /** The token was refused: the next one is fetched. */
  forget(): void;
}

const tokenAnswer = z.object({ access_token: z.string(), expires_in: z.number().default(0) });
/** RFC 6749 §5.2. */
const tokenError = z.object({ error: z.string(), error_description: z.string().optional() });

/** A token is fetched anew this long before it expires. */
const MARGIN_MS = 30_000;

export function createAccessTokens(options: TokenOptions, signal?: AbortSignal): AccessTokens {
  const { tokenUrl, clientId, clientSecret, scope, audience } = options;
  let known: { token: string; validUntil: number } | undefined;

  async function fetchToken(): Promise<string> {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      ...(scope !== undefined && { scope }),
      ...(audience !== undefined && { audience }),
    });
    const response = await reach('identity service', tokenUrl, { method: 'POST', body }, signal);
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw refused(response, answer);
    const parsed = tokenAnswer.safeParse(answer);
    if (!parsed.success)
      throw new ApiError('identity service', response.status, `${tokenUrl} answered with no access token`);
    const { access_token, expires_in } = parsed.data;
    known = { token: access_token, validUntil: Date.now() + expires_in * 1000 - MARGIN_MS };
    return access_token;
  }

  function refused(response: Response, answer: unknown): ApiError {
    const { data } = tokenError.safeParse(answer);
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
