/** The gateway's HTTP API as programs use it: tokens by client credentials, the envelope taken off. */
import { z } from 'zod';

export interface ClientOptions {
  /** Base URL of the gateway. */
  gatewayUrl: string;
  /** Token endpoint of the identity service. */
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}

/** The gateway, or the identity service, answered with an error. */
export class ApiError extends Error {
  readonly status: number;
  readonly data: unknown;

  constructor(status: number, message: string, data?: unknown) {
    super(message);
    this.status = status;
    this.data = data;
  }
}

export interface Answer {
  status: number;
  message: string;
  data: unknown;
}

export interface ApiClient {
  /** @throws ApiError for an answer of 400 and above other than those in `accept` */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  json?: unknown;
  body?: RequestInit['body'];
  headers?: Record<string, string>;
  /** Error statuses that are an answer to the caller. */
  accept?: readonly number[];
}

const tokenAnswer = z.object({ access_token: z.string(), expires_in: z.number() });
const envelope = z.object({ status: z.string(), message: z.string(), data: z.unknown() });

/** A token is fetched anew this long before it expires. */
const TOKEN_MARGIN_MS = 30_000;

export function createApiClient({ gatewayUrl, tokenUrl, clientId, clientSecret }: ClientOptions): ApiClient {
  let known: { token: string; validUntil: number } | undefined;

  async function token(): Promise<string> {
    if (known && known.validUntil > Date.now()) return known.token;
    const response = await reach(tokenUrl, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }),
    });
    if (!response.ok)
      throw new ApiError(
        response.status,
        `No access token for client "${clientId}": ${tokenUrl} answered ${response.status}`,
      );
    const { access_token, expires_in } = tokenAnswer.parse(await response.json());
    known = { token: access_token, validUntil: Date.now() + expires_in * 1000 - TOKEN_MARGIN_MS };
    return access_token;
  }

  return {
    async call(method, path, { json, body, headers = {}, accept = [] } = {}) {
      const response = await reach(gatewayUrl.replace(/\/+$/, '') + path, {
        method,
        headers: {
          authorization: `Bearer ${await token()}`,
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        ...(body != null && { body }),
      });
      const parsed = envelope.safeParse(await response.json().catch(() => null));
      if (!parsed.success)
        throw new ApiError(
          response.status,
          `${method} ${path} answered ${response.status} with something that is not its envelope`,
        );
      const { message, data } = parsed.data;
      if (!response.ok && !accept.includes(response.status))
        throw new ApiError(response.status, message, data);
      return { status: response.status, message, data };
    },
  };
}

async function reach(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new Error(`${url} cannot be reached: ${cause}`);
  }
}
