/** The gateway's HTTP API for programs: tokens by client credentials, answers without the envelope. */
import * as z from 'zod';
import { retryAfterSeconds } from '../../src/common/network.ts';
import { type RetryOptions, type RetryPolicy, retrying } from '../../src/common/retrying.ts';
import { addressOf, OPERATIONS, type OperationId } from '../../src/contract/operations.ts';
import type { AnyRequest, CallOf, DataOf, RequestOf } from '../../src/contract/requests.ts';
import { createAccessTokens } from './access-tokens.ts';
import { ApiError, errorOfBody, ForeignAnswer, isRateLimited, isTemporary, reach } from './errors.ts';
import type { ClientOptions } from './options.ts';
import { type FileToSend, frameFile, sendFile } from './send-file.ts';

export interface Answer<D = unknown> {
  status: number;
  message: string;
  data: D;
  headers: Headers;
}

interface CallOptions {
  headers?: Record<string, string>;
  /** Statuses other than 2xx that do not throw. 304 has neither message nor data. */
  accept?: readonly number[];
}

export interface Upload extends FileToSend {
  /** File name for the gateway. */
  fileName: string;
  /** Text parts of the form. */
  fields: Readonly<Record<string, string | undefined>>;
  /** The same for every attempt, so that a package is imported once even if its answer was lost. */
  idempotencyKey?: string | undefined;
  /** Gets the number of sent bytes of the file. It restarts at 0 with each attempt. */
  onProgress?: ((sentBytes: number) => void) | undefined;
}

/** Retries of calls. */
type CallRetries = Partial<RetryPolicy> & Pick<Partial<RetryOptions>, 'isWorthRetrying' | 'onRetry'>;

/**
 * All methods throw ApiError for an error answer, and Unreachable when no answer came. Calls and downloads are retried
 * while a rate limit refuses them.
 */
export interface ApiClient {
  /** Also aborted by the caller's signals. */
  readonly signal: AbortSignal | undefined;
  /** Called before each further attempt. */
  readonly onRetry: RetryOptions['onRetry'];
  call<Id extends OperationId>(id: Id, ...request: CallOf<Id, CallOptions>): Promise<Answer<DataOf<Id>>>;
  /** Streams a file. Retried when the connection to the gateway failed. */
  upload<D = unknown>(path: string, upload: Upload): Promise<Answer<D>>;
  /** Returns the answer without an envelope. Its body is not read yet. */
  download<Id extends OperationId>(id: Id, request: RequestOf<Id>): Promise<Response>;
  accessToken(): Promise<string>;
  /**
   * The same client, whose calls and downloads are retried after every temporary error.
   *
   * @param retries replace the client's policy, its test of an error, and its `onRetry`
   */
  withRetries(retries?: CallRetries): ApiClient;
}

const RETRIES: RetryPolicy = { attempts: 5, firstPauseMs: 1_000, longestPauseMs: 30_000 };

/** Interface §2.3. */
const envelope = z.object({ status: z.string(), message: z.string(), data: z.unknown().optional() });

export function createApiClient(options: ClientOptions): ApiClient {
  const { userAgent, signal, retries = RETRIES } = options;
  const base = options.gatewayUrl.replace(/\/+$/, '');
  const tokens = createAccessTokens(options, signal);

  const agent: Record<string, string> = userAgent === undefined ? {} : { 'user-agent': userAgent };

  /** A token may end before its announced expiry: a refused one is replaced once. */
  async function authorized(send: (headers: Record<string, string>) => Promise<Response>): Promise<Response> {
    const headers = async () => ({ ...agent, authorization: `Bearer ${await tokens.current()}` });
    const response = await send(await headers());
    if (response.status !== 401) return response;
    await response.body?.cancel();
    tokens.invalidate();
    return send(await headers());
  }

  function request(
    id: OperationId,
    { params, query, body, headers }: AnyRequest & CallOptions,
  ): Promise<Response> {
    const isPublic = !('permission' in OPERATIONS[id]);
    const send = (given: Record<string, string>) =>
      reach(
        'gateway',
        base + addressOf(id, params, query),
        {
          method: methodOf(id),
          headers: {
            ...given,
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        },
        signal,
      );
    return isPublic ? send(agent) : authorized(send);
  }

  const askedOf = (id: OperationId, { params, query }: AnyRequest) => ({
    method: methodOf(id),
    url: base + addressOf(id, params, query),
  });

  const clientWith = (ofCalls: RetryOptions): ApiClient => ({
    signal,
    onRetry: ofCalls.onRetry,
    call: <Id extends OperationId>(id: Id, ...[options]: CallOf<Id, CallOptions>) =>
      retrying(async () => {
        const given = (options ?? {}) as AnyRequest & CallOptions;
        const response = await request(id, given);
        return answerOf<DataOf<Id>>(response, askedOf(id, given), given.accept);
      }, ofCalls),

    async upload<D>(path: string, upload: Upload) {
      const { fileName, fields, idempotencyKey, onProgress } = upload;
      const framing = await frameFile(fileName, fields);
      const key: Record<string, string> =
        idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
      const attempt = async () => {
        const response = await authorized((authorization) =>
          sendFile(base + path, upload, {
            framing,
            onProgress,
            signal,
            headers: { ...authorization, ...key },
          }),
        );
        return answerOf<D>(response, { method: 'POST', url: base + path });
      };
      return retrying(attempt, { ...ofCalls, isWorthRetrying: isTemporary });
    },

    download: <Id extends OperationId>(id: Id, asked: RequestOf<Id>) =>
      retrying(async () => {
        const given = asked as AnyRequest;
        const response = await request(id, given);
        if (!response.ok) await answerOf(response, askedOf(id, given));
        return response;
      }, ofCalls),

    accessToken: () => tokens.current(),

    withRetries: (retries) => clientWith({ ...ofCalls, isWorthRetrying: isTemporary, ...retries }),
  });
  return clientWith({ ...retries, isWorthRetrying: isRateLimited, onRetry: options.onRetry, signal });
}

const methodOf = (id: OperationId) => OPERATIONS[id].method.toUpperCase();

/** @throws ApiError; Unreachable when the answer was incomplete */
async function answerOf<D>(
  response: Response,
  { method, url }: { method: string; url: string },
  accept: readonly number[] = [],
): Promise<Answer<D>> {
  const request = `${method} ${url}`;
  const { status, headers, ok } = response;
  const accepted = ok || accept.includes(status);
  if (status === 304 && accepted) return { status, message: '', data: undefined as D, headers };
  const retry = { retryAfterSeconds: retryAfterSeconds(headers) };
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null)
    throw new ForeignAnswer(
      'gateway',
      status,
      `${request} was answered with ${status}: the address of the gateway is ${location}`,
    );
  const parsed = envelope.safeParse(await jsonOf(response, url));
  if (!parsed.success) {
    const fault = `${request} was answered with ${status}, but not by a gateway.`;
    throw new ForeignAnswer('gateway', status, fault, retry);
  }
  const { message, data } = parsed.data;
  if (!accepted) throw new ApiError('gateway', status, message, { data, ...retry });
  return { status, message, data: data as D, headers };
}

/** Null if the body is not JSON. */
async function jsonOf(response: Response, url: string): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    // A report is streamed. If it fails midway, the gateway ends the connection.
    throw errorOfBody(error, url);
  }
}
