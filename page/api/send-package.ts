/**
 * One attempt of an upload, by XMLHttpRequest: `fetch` reports no progress. The browser reads the file from the disk
 * while it sends, and keeps nothing in memory.
 */
import { addressOf } from '../../src/contract/operations.ts';
import type { DryRunResult } from '../../src/contract/types.ts';
import { accessToken, renew } from '../auth/login.ts';
import { API_ROOT } from '../settings.ts';
import { ApiError, errorOf } from './client.ts';

export interface PackageRequest {
  file: File;
  comment?: string;
  email?: string;
  /** Identifies an import over all attempts; null for a dry run. */
  idempotencyKey: string | null;
  /** The import whose failed product file is corrected: the file to send is then that XML. */
  mends?: number;
}

type PackageAnswer = { kind: 'checked'; result: DryRunResult } | { kind: 'imported'; importId: number };

export interface SendingOptions {
  signal?: AbortSignal;
  /** Sent bytes of the body, framing included. */
  onProgress?(sent: number, total: number): void;
  /** Called when the whole body is sent: the service works now. */
  onSent?(): void;
}

/** The gateway ends an upload after the same time without data. */
const SILENCE_MS = 60_000;

/** @throws ApiError for a refusal, or with status 0 for a lost connection; AbortError after the signal */
export async function sendPackage(
  request: PackageRequest,
  sending: SendingOptions = {},
): Promise<PackageAnswer> {
  try {
    return await sendOnce(request, sending);
  } catch (error) {
    const isTokenOver = (error as ApiError).status === 401;
    if (isTokenOver && (await renew())) return sendOnce(request, sending);
    throw error;
  }
}

function sendOnce(
  request: PackageRequest,
  { signal, onProgress, onSent }: SendingOptions,
): Promise<PackageAnswer> {
  const { file, idempotencyKey, mends } = request;
  const xhr = new XMLHttpRequest();
  const query = { mends, ...(idempotencyKey === null && { dry_run: true, diff: true }) };
  xhr.open('POST', location.origin + API_ROOT + addressOf('postPackageImport', {}, query));
  // The answer is null when it is no JSON.
  xhr.responseType = 'json';
  xhr.setRequestHeader('Authorization', `Bearer ${accessToken() ?? ''}`);
  if (idempotencyKey !== null) xhr.setRequestHeader('Idempotency-Key', idempotencyKey);
  return new Promise((resolve, reject) => {
    let silence: ReturnType<typeof setTimeout> | undefined;
    const lose = async (message: string) => {
      reject(new ApiError((await isReadable(file)) ? message : FILE_GONE));
    };
    const listenAgain = () => {
      clearTimeout(silence);
      silence = setTimeout(() => {
        void lose('The service has accepted no data for a minute.');
        xhr.abort();
      }, SILENCE_MS);
    };
    const cancel = () => {
      reject(signal?.reason);
      xhr.abort();
    };
    signal?.addEventListener('abort', cancel);
    xhr.upload.onprogress = ({ loaded, total }) => {
      listenAgain();
      onProgress?.(loaded, total);
    };
    xhr.upload.onload = () => {
      clearTimeout(silence);
      onSent?.();
    };
    xhr.onreadystatechange = () => {
      const importId = xhr.readyState === XMLHttpRequest.HEADERS_RECEIVED ? importIn(xhr) : null;
      if (importId === null) return;
      // The headers name the import. The body may have thousands of products, which the next screen loads.
      resolve({ kind: 'imported', importId });
      xhr.abort();
    };
    xhr.onload = () => {
      const body: unknown = xhr.response;
      if (xhr.status !== 200)
        reject(
          errorOf({ status: xhr.status, headers: { get: (name) => xhr.getResponseHeader(name) } }, body),
        );
      else if (isDryRun(body)) resolve({ kind: 'checked', result: body.data });
      else void lose('The answer of the service is incomplete.');
    };
    xhr.onerror = () => void lose('The connection was lost.');
    xhr.onloadend = () => {
      clearTimeout(silence);
      signal?.removeEventListener('abort', cancel);
    };
    signal?.throwIfAborted();
    listenAgain();
    xhr.send(formOf(request));
  });
}

/** The error of a file that changed since it was chosen: no further attempt can succeed. */
export const FILE_GONE = 'The file was changed, moved or removed since it was chosen. Choose it again.';

/** Text parts come first: the service has them before the file. */
function formOf({ file, comment = '', email = '' }: PackageRequest): FormData {
  const form = new FormData();
  if (comment.trim() !== '') form.set('comment', comment);
  if (email.trim() !== '') form.set('email', email);
  form.set('file', file);
  return form;
}

function importIn(xhr: XMLHttpRequest): number | null {
  const found =
    xhr.status === 200 && /\/package-imports\/(\d+)$/.exec(xhr.getResponseHeader('Location') ?? '');
  return found ? Number(found[1]) : null;
}

function isDryRun(body: unknown): body is { data: DryRunResult } {
  return (body as { data?: { dry_run?: unknown } } | null)?.data?.dry_run === true;
}

/** The browser reports a changed file like a lost connection. */
async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
