/** Client actions: upload a package, read its state. Every answer must match the API's description. */
import type { DryRunResult, ImportReport, ImportResult, ImportSummary } from '../../src/contract/types.ts';
import { requireDescribed } from './api-contract.ts';
import { eventually } from './eventually.ts';
import type { StackParts } from './stack-parts.ts';

export interface Answer<D> {
  status: number;
  headers: Headers;
  body: { status: string; message: string; data: D };
}

export interface UploadOptions {
  fileName?: string;
  comment?: string;
  email?: string;
  /** Further fields of the form. */
  fields?: Record<string, string>;
  /** The demo client's by default. */
  token?: string | undefined;
  headers?: Record<string, string>;
  query?: string;
}

export async function upload<D = ImportResult>(
  stack: StackParts,
  zip: Uint8Array,
  options: UploadOptions = {},
): Promise<Answer<D>> {
  const form = new FormData();
  form.set('file', new Blob([zip.slice()], { type: 'application/zip' }), options.fileName ?? 'package.zip');
  if (options.comment !== undefined) form.set('comment', options.comment);
  if (options.email !== undefined) form.set('email', options.email);
  for (const [name, value] of Object.entries(options.fields ?? {})) form.set(name, value);
  return call(stack, 'POST', `/regulator/package-import${options.query ?? ''}`, { ...options, body: form });
}

/** A dry run that the query requests. @param options `query` may have further parameters: `&diff=true` */
export async function dryRun(
  stack: StackParts,
  zip: Uint8Array,
  options: UploadOptions = {},
): Promise<Answer<DryRunResult>> {
  const query = `?dry_run=true${options.query ?? ''}`;
  return upload(stack, zip, { ...options, query });
}

export async function call<D>(
  stack: StackParts,
  method: string,
  path: string,
  options: {
    token?: string | undefined;
    body?: RequestInit['body'];
    json?: unknown;
    headers?: Record<string, string>;
  } = {},
): Promise<Answer<D>> {
  const token = options.token ?? (await stack.token());
  const response = await fetch(stack.gatewayUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(options.json !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body != null && { body: options.body }),
    ...(options.json !== undefined && { body: JSON.stringify(options.json) }),
  });
  const body = response.status === 304 ? undefined : await response.json();
  const contentType = response.headers.get('content-type') ?? '';
  await requireDescribed(stack.gatewayUrl, method, path, response.status, contentType, body);
  return { status: response.status, headers: response.headers, body: body as Answer<D>['body'] };
}

/** An answer that is no envelope: a file or a table. */
export async function download(
  stack: StackParts,
  path: string,
  { token, method = 'GET' }: { token?: string | undefined; method?: string } = {},
): Promise<Response> {
  const authorization = `Bearer ${token ?? (await stack.token())}`;
  return fetch(stack.gatewayUrl + path, { method, headers: { authorization } });
}

export async function report(stack: StackParts, importId: number): Promise<ImportReport> {
  return (await call<ImportReport>(stack, 'GET', `/regulator/package-imports/${importId}`)).body.data;
}

/** Waits until an import is over. */
export async function finished(stack: StackParts, importId: number): Promise<ImportReport> {
  // The whole report of hundreds of products costs more than their inserts if it is read again and again.
  const summary = `/regulator/package-imports/${importId}?view=summary`;
  await eventually(async () => (await call<ImportSummary>(stack, 'GET', summary)).body.data.completed_at);
  return report(stack, importId);
}
