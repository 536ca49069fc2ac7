/** The options of the client library. */
import type { Retry, RetryPolicy } from '../../src/common/retrying.ts';
import type { ImportListQuery, ImportSummary } from '../../src/contract/types.ts';

/** Method names of the OAuth registry (RFC 7591 §2). */
export const AUTH_METHODS = ['client_secret_post', 'client_secret_basic', 'private_key_jwt'] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

export interface ClientCredentials {
  clientId: string;
  /** The default is `private_key_jwt` if there is a key and no secret, else `client_secret_post`. */
  authMethod?: AuthMethod | undefined;
  clientSecret?: string | undefined;
  /** For `private_key_jwt`: the text of a PEM file (PKCS #8, not encrypted) or of a JSON Web Key. */
  privateKey?: string | undefined;
}

/** The credentials do not fit the method, or the key cannot be used. Nothing was sent. */
export class UnusableCredentials extends Error {}

export interface TokenOptions extends ClientCredentials {
  /** Token endpoint of the identity service. */
  tokenUrl: string;
  /** Issuer identifier of the identity service: the audience of a `private_key_jwt`; by default its token endpoint. */
  issuer?: string | undefined;
  /** Some identity services require the purpose of the token: RFC 6749 §3.3, or an audience. */
  scope?: string | undefined;
  audience?: string | undefined;
}

export interface ClientOptions extends TokenOptions {
  /** Base URL of the gateway. */
  gatewayUrl: string;
  /** Names the program in the gateway's log. */
  userAgent?: string | undefined;
  /** Retries of failed uploads, and of requests that exceeded a rate limit. `follow` has its own, for longer outages. */
  retries?: RetryPolicy | undefined;
  /** Called before each further attempt. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** Aborts every operation; its reason is thrown. */
  signal?: AbortSignal | undefined;
}

export interface FollowOptions {
  /** Called for every answer. It gets the same summary again if nothing has changed. */
  onSummary?: ((summary: ImportSummary) => void) | undefined;
  /** Called when a request to the gateway failed, instead of the client's `onRetry`. */
  onRetry?: ((retry: Retry) => void) | undefined;
  firstPauseMs?: number;
}

/** The parameters of a list. */
export type ImportQuery = Omit<ImportListQuery, 'has_failures'> & { has_failures?: boolean | undefined };
