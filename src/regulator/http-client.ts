/** HTTP client of the regulator's API (docs/regulator-api.md), independent of the server behind it. */
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { excerpt, messageOf, withoutSlash } from '../common/text.ts';
import { STEP_PATHS } from '../contract/steps.ts';
import {
  RegulatorLoginRefused,
  RegulatorRateLimited,
  RegulatorUnavailable,
  WrongVerificationCode,
} from '../domain/client-errors.ts';
import { type AnsweredCall, failureOf, isSuccess, parseAnswer } from './answers.ts';
import type { Regulator, SessionGrant } from './port.ts';
import { type RegulatorRequest, type RegulatorResponse, type SendRequest, sendRequest } from './send.ts';
import { watchUpload } from './upload-watch.ts';

interface RegulatorClientOptions {
  /** Base URL of the API. */
  url: string;
  username: string;
  password: string;
  /** Milliseconds until a call without an answer fails; for an upload, milliseconds without progress. */
  timeoutMs?: number;
  /** Lowest average rate of an upload, in bytes per second. */
  minBytesPerSecond?: number;
  /** Sends the requests. */
  send?: SendRequest;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** An upload of a gibibyte may take two hours and a quarter. Over 10 Mbit/s it takes a quarter of an hour. */
const MIN_BYTES_PER_SECOND = 128 * 1024;

const loginAnswer = z.object({ login_id: z.string() });
const sessionAnswer = z.object({ session_token: z.string(), expires_at: z.iso.datetime() });
const caseAnswer = z.object({
  case_id: z.string(),
  submission_date: z.string(),
  modified_date: z.string(),
  submission_type: z.string(),
});
const sectionAnswer = z.object({ modified_date: z.string() });
const attachmentAnswer = z.object({ attachment_id: z.string() });

interface Call extends AnsweredCall {
  signal?: AbortSignal | undefined;
  token?: string;
  headers?: Record<string, string>;
  /** JSON text. */
  json?: string;
  /** A file instead of JSON. */
  file?: { content: Readable; sizeBytes: number };
  /** Errors of statuses that mean something else here than elsewhere. */
  refusals?: Readonly<Record<number, Error>>;
}

export function createRegulatorClient({
  url,
  username,
  password,
  timeoutMs = DEFAULT_TIMEOUT_MS,
  minBytesPerSecond = MIN_BYTES_PER_SECOND,
  send = sendRequest,
}: RegulatorClientOptions): Regulator {
  const base = withoutSlash(url);

  /** Runs one HTTP exchange, whatever its status. */
  async function exchange(options: Call): Promise<RegulatorResponse> {
    const { method, path, token, headers, json, file, signal } = options;
    const upload =
      file && watchUpload(file.content, file.sizeBytes, { idleMs: timeoutMs, minBytesPerSecond });
    const timeout = upload?.signal ?? AbortSignal.timeout(timeoutMs);
    const body = json ?? upload?.body;
    const request: RegulatorRequest = {
      method,
      url: base + path,
      headers: {
        accept: 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    };
    try {
      return await send(request);
    } catch (error) {
      signal?.throwIfAborted();
      const cause = excerpt(messageOf(error), 200);
      throw new RegulatorUnavailable(`The regulator did not answer ${method} ${path}: ${cause}`);
    } finally {
      upload?.end();
    }
  }

  async function call<T>(options: Call, answer: z.ZodType<T>): Promise<T> {
    const response = await exchange(options);
    if (!isSuccess(response)) throw options.refusals?.[response.status] ?? failureOf(response, options);
    return parseAnswer(response, answer, options);
  }

  return {
    async logIn() {
      const json = JSON.stringify({ username, password });
      const refused = new RegulatorLoginRefused(
        'The regulator refused the login: check REGULATOR_USERNAME and REGULATOR_PASSWORD',
      );
      const refusals = { 401: refused, 403: refused };
      const { login_id } = await call({ method: 'POST', path: '/session', json, refusals }, loginAnswer);
      return { loginId: login_id };
    },

    async verify(loginId, code) {
      const json = JSON.stringify({ login_id: loginId, code });
      const wrong = new WrongVerificationCode(
        'The verification code is wrong or has expired. Enter the latest code, or log in again.',
      );
      const path = '/session/verification';
      return grantOf(await call({ method: 'POST', path, json, refusals: { 400: wrong } }, sessionAnswer));
    },

    async renew(token) {
      return grantOf(await call({ method: 'POST', path: '/session/renewal', token }, sessionAnswer));
    },

    async logOut(token) {
      const options: Call = { method: 'DELETE', path: '/session', token };
      const response = await exchange(options);
      if (isSuccess(response)) return;
      const failure = failureOf(response, options);
      // Another failure, e.g. 401, means that the regulator has no such session any more.
      if (failure instanceof RegulatorUnavailable || failure instanceof RegulatorRateLimited) throw failure;
    },

    async openCase(token, open, { signal } = {}) {
      const headers = { 'idempotency-key': open.clientReference };
      const json = JSON.stringify({
        client_reference: open.clientReference,
        product_id: open.productId,
        product_type: open.productTypeCode,
        submission_type: open.submissionTypeCode,
      });
      const answer = await call({ method: 'POST', path: '/cases', token, headers, json, signal }, caseAnswer);
      return {
        caseId: answer.case_id,
        submissionDate: answer.submission_date,
        modifiedDate: answer.modified_date,
        submissionType: answer.submission_type,
      };
    },

    async sendAttachment(token, caseId, attachment, { signal } = {}) {
      const path = `/cases/${encodeURIComponent(caseId)}/attachments/${attachment.attachmentId}`;
      const headers = {
        'content-type': 'application/octet-stream',
        'content-length': String(attachment.sizeBytes),
        'x-content-sha256': attachment.sha256,
        'x-confidential': String(attachment.confidential),
        'x-content-type': encodeURIComponent(attachment.contentType),
        'x-file-name': encodeURIComponent(attachment.fileName),
      };
      const file = { content: await attachment.content(), sizeBytes: attachment.sizeBytes };
      await call({ method: 'PUT', path, token, headers, file, signal }, attachmentAnswer);
    },

    async sendSection(token, caseId, step, section, { signal } = {}) {
      const path = `/cases/${encodeURIComponent(caseId)}/steps/${step}`;
      const sectionPath = STEP_PATHS[step];
      const options: Call = { method: 'PUT', path, token, json: section, sectionPath, signal };
      const answer = await call(options, sectionAnswer);
      return { modifiedDate: answer.modified_date };
    },
  };
}

function grantOf({ session_token, expires_at }: z.infer<typeof sessionAnswer>): SessionGrant {
  return { token: session_token, expiresAt: new Date(expires_at) };
}
