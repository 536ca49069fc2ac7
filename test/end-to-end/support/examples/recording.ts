/** Requests to the real service whose answers become examples of the API description. */
import type { Config } from '../../../../src/config/index.ts';
import { CLIENT_WITHOUT_PERMISSION } from '../../../../src/trial-parts/identity-service/identity-service.ts';
import { requireDescribed } from '../../../support/api-contract.ts';
import { Connection } from '../../../support/connection.ts';
import { eventually } from '../../../support/eventually.ts';
import { head } from '../../../support/multipart.ts';
import { productIdOfThisYear, productPath, productXml } from '../../../support/product-xml.ts';
import { type Operations, recordAnswers } from '../../../support/recorded-answers.ts';
import type { Stack } from '../../../support/starters/stack.ts';
import { type ZipEntries, zipOf } from '../../../support/zip.ts';

export const UPLOAD = '/regulator/package-import';
export const IMPORTS = '/regulator/package-imports';
export const SUBMISSIONS = '/regulator/submissions';
export const SESSION = '/regulator/session';
export const WEBHOOK = '/regulator/webhook';
/** An ID that does not exist. */
export const NOBODY = 999_999;

interface Request {
  json?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
  /** Replaces the demo client's token; null for none. */
  token?: string | null;
  gatewayUrl?: string;
  name?: string;
  everywhere?: boolean;
}

export type Recording = Awaited<ReturnType<typeof startRecording>>;

/** @param paths paths of the description */
export async function startRecording(stack: Stack, paths: Operations) {
  const answers = recordAnswers(paths);
  const tokens = { all: await stack.token(), none: await stack.token(CLIENT_WITHOUT_PERMISSION) };

  return { stack, tokens, ask, askRaw, withGateway, text: answers.text };

  /** Sends a request, and records the answer. */
  async function ask(method: string, path: string, request: Request = {}) {
    const { json, form, headers, token = tokens.all, gatewayUrl = stack.gatewayUrl, ...named } = request;
    const response = await fetch(gatewayUrl + path, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(form && { body: form }),
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const body = (await response.json()) as { data: { id: number; code?: string } & Record<string, never> };
    return recordChecked({ method, path, status: response.status, body }, named);
  }

  async function recordChecked<
    A extends { method: string; path: string; status: number; body: { data: object } },
  >(answer: A, named: { name?: string; everywhere?: boolean } = {}): Promise<A> {
    const { method, path, status, body } = answer;
    await requireDescribed(stack.gatewayUrl, method, path, status, 'application/json', body);
    answers.record(answer, named);
    return answer;
  }

  /** Sends and records a raw request that no client library would send. */
  async function askRaw(
    port: number,
    path: string,
    headers: Record<string, string | number | undefined>,
    begin: Uint8Array | string = '',
    named: { everywhere?: boolean } = {},
  ) {
    const connection = await Connection.open(port);
    await connection.send(head(headers, { path }));
    if (begin.length > 0) await connection.send(begin);
    const [, body = ''] = await eventually(
      async () => /\r\n\r\n(\{.*\})$/s.exec(connection.received),
      60_000,
    );
    const status = await connection.status();
    connection.destroy();
    await recordChecked({ method: 'POST', path, status, body: JSON.parse(body) }, named);
  }

  /** Starts another gateway of the same service with other settings. */
  async function withGateway(
    change: (config: Config) => Partial<Config>,
    work: (url: string, port: number) => Promise<void>,
  ): Promise<void> {
    const gateway = await stack.startGateway(change(stack.config));
    try {
      await work(gateway.url, gateway.port);
    } finally {
      await gateway.close();
    }
  }
}

export async function packageForm(
  entries: ZipEntries,
  fields: Record<string, string> = {},
  fileName = 'package.zip',
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const zip = await zipOf(entries);
  form.set('file', new Blob([zip.slice()], { type: 'application/zip' }), fileName);
  return form;
}

export const productOf = (number: number, options: Parameters<typeof productXml>[0] = {}) => {
  const name = `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;
  return { [productPath(name)]: productXml({ productId: productIdOfThisYear(number), ...options }) };
};
