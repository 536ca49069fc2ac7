/**
 * The examples of the API description are answers of the real service: given here, one after the other, and compared with
 * those that are checked in. After a change `npm test -- test/end-to-end/api-examples.test.ts -u` writes them anew.
 */
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { CLIENT_WITHOUT_PERMISSION } from '../../src/local/identity-service/identity-service.ts';
import { startGateway } from '../../src/processes/gateway.ts';
import { Connection } from '../gateway/support/connection.ts';
import { fileStart, head, uploadHeaders } from '../gateway/support/requests.ts';
import { requireDescribed } from '../support/api-contract.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { productPath, productXml } from '../support/product-xml.ts';
import { type Operations, recordAnswers } from '../support/recorded-answers.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { finished } from '../support/upload.ts';
import { type ZipEntries, zipOf } from '../support/zip.ts';

const UPLOAD = '/regulator/package-import';
const IMPORTS = '/regulator/package-imports';
const SUBMISSIONS = '/regulator/submissions';
const SESSION = '/regulator/session';
const NOBODY = 999_999;

/** What cannot be had on purpose: the run of a product would have to end between two questions, again and again. */
const WITHOUT = ['postSubmissionAction 503'];

interface Description {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        responses: Record<string, { content?: Record<string, { examples?: object }> }>;
      }
    >
  >;
}

interface Request {
  json?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
  /** In place of the demo client's; null for none. */
  token?: string | null;
  gatewayUrl?: string;
  name?: string;
  everywhere?: boolean;
}

let stack: TestStack;
let description: Description;
let answers: ReturnType<typeof recordAnswers>;
let tokens: { all: string; none: string };
beforeAll(async () => {
  stack = await startTestStack({ withoutWorkers: true });
  description = (await (await fetch(`${stack.gatewayUrl}/api/doc.json`)).json()) as Description;
  answers = recordAnswers(description.paths as Operations);
  tokens = { all: await stack.token(), none: await stack.token(CLIENT_WITHOUT_PERMISSION) };
});
afterAll(() => stack.stop());

/** Sends a request, and records what comes. */
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

/** The same for what no client library would send. */
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
  const [, body = ''] = await eventually(async () => /\r\n\r\n(\{.*\})$/s.exec(connection.received), 60_000);
  const status = await connection.status();
  connection.destroy();
  await recordChecked({ method: 'POST', path, status, body: JSON.parse(body) }, named);
}

async function packageForm(
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

const productOf = (number: number, options: Parameters<typeof productXml>[0] = {}) => {
  const name = `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;
  return { [productPath(name)]: productXml({ productId: `99962-26-0000${number}`, ...options }) };
};

/** Another gateway of the same service, configured otherwise. */
async function withGateway(
  change: (config: Config) => Partial<Config>,
  work: (url: string, port: number) => Promise<void>,
): Promise<void> {
  const [port = 0] = await freePorts(1);
  const changed = { ...stack.config, ...change(stack.config) };
  const config = { ...changed, gateway: { ...changed.gateway, port } };
  const gateway = await startGateway(config as Config, pino({ level: 'silent' }));
  try {
    await work(gateway.url, port);
  } finally {
    await gateway.close();
  }
}

async function recordHealth(): Promise<void> {
  await ask('GET', '/health/live', { token: null });
  await ask('GET', '/health/ready', { token: null });
  await stack.startWorkers();
  await eventually(async () => (await fetch(`${stack.gatewayUrl}/health/ready`)).ok);
  await ask('GET', '/health/ready', { token: null });
}

async function recordCommonErrors(): Promise<void> {
  const everywhere = { everywhere: true };
  await ask('GET', SESSION, { token: null, ...everywhere });
  await ask('GET', SESSION, { token: 'none', ...everywhere });
  await ask('GET', SESSION, { token: tokens.none, ...everywhere });
  await ask('POST', `${SESSION}/verification`, { json: { code: 'x'.repeat(100_000) }, ...everywhere });
  await stack.sql('alter table regulator_session rename to regulator_session_away');
  await ask('GET', SESSION, everywhere);
  await stack.sql('alter table regulator_session_away rename to regulator_session');
  const rate = ({ quotas }: Config) => ({ quotas: { ...quotas, requestsPerMinute: 3 } });
  await withGateway(rate, async (gatewayUrl) => {
    const headers = { authorization: `Bearer ${tokens.all}` };
    await eventually(async () => (await fetch(gatewayUrl + SESSION, { headers })).status === 429);
    await ask('GET', SESSION, { gatewayUrl, ...everywhere });
  });
}

async function recordSession(): Promise<void> {
  const { behaviour, state } = stack.simulator.simulation;
  await ask('GET', SESSION);
  await ask('DELETE', SESSION);
  await ask('POST', UPLOAD, { form: await packageForm(productOf(1)) });
  await ask('POST', `${SUBMISSIONS}/1/actions/regulator-insert`);
  await ask('POST', SESSION);
  await ask('POST', `${SESSION}/verification`, { json: { code: '' } });
  await ask('POST', `${SESSION}/verification`, { json: { code: 'wrong' } });
  behaviour.unavailable = true;
  await ask('POST', `${SESSION}/verification`, { json: { code: '123456' } });
  await ask('POST', SESSION);
  behaviour.unavailable = false;
  await ask('POST', SESSION);
  await ask('POST', `${SESSION}/verification`, { json: { code: state.pendingCode } });
  await ask('GET', '/regulator/audit-events?limit=1');
  await ask('GET', '/regulator/audit-events?limit=0');
}

async function recordInserting(): Promise<void> {
  const path = '/regulator/inserting';
  await ask('GET', path);
  await ask('POST', `${path}/actions/pause`, { json: {} });
  await ask('POST', `${path}/actions/pause`, { json: { reason: 'the regulator asked for quiet' } });
  await ask('POST', `${path}/actions/resume`);
}

async function recordUploads(): Promise<{ imported: number; unreadable: number }> {
  const { behaviour } = stack.simulator.simulation;
  const entries = { ...productOf(1), ...productOf(2), ...productOf(3, { type: '77' }) };
  const fields = { comment: 'Spring range', email: 'person@company.example' };
  behaviour.reject = [
    { product_id: '99962-26-00002', step: 'design', message: 'The design is not described' },
  ];
  const form = await packageForm(entries, fields);
  const headers = { 'Idempotency-Key': 'first' };
  const { body } = await ask('POST', UPLOAD, { form, headers, name: 'import' });
  await finished(stack, body.data.id);
  behaviour.reject = [];
  await ask('POST', UPLOAD, { form: await packageForm(productOf(4)), headers });
  const edit = (xml: string) => xml.replace('A bottle', 'A can');
  const changed = await packageForm({ ...productOf(1, { edit }), ...productOf(4) });
  await ask('POST', `${UPLOAD}?dry_run=true&diff=true`, { form: changed, name: 'dry_run' });
  const unreadable = await ask('POST', UPLOAD, { form: await packageForm({ 'root/readme.txt': '' }) });
  return { imported: body.data.id, unreadable: unreadable.body.data.id };
}

async function recordRefusedUploads(): Promise<void> {
  const { port } = stack.config.gateway;
  await ask('POST', `${UPLOAD}?diff=true`, { form: await packageForm(productOf(1)) });
  await ask('POST', UPLOAD, { form: await packageForm(productOf(1), {}, 'package.rar') });
  const noFile = new FormData();
  noFile.set('comment', 'nothing');
  await ask('POST', UPLOAD, { form: noFile });
  await askRaw(port, UPLOAD, uploadHeaders(tokens.all, 3 * 1024 ** 3));
  const room = ({ archive }: Config) => ({
    archive: { ...archive, uploadIdleSeconds: 1, minFreeBytes: Number.MAX_SAFE_INTEGER },
  });
  await withGateway(room, async (gatewayUrl) => {
    await ask('POST', UPLOAD, { form: await packageForm(productOf(1)), gatewayUrl });
  });
  const impatient = ({ archive }: Config) => ({ archive: { ...archive, uploadIdleSeconds: 1 } });
  await withGateway(impatient, async (_url, gatewayPort) => {
    await askRaw(gatewayPort, UPLOAD, uploadHeaders(tokens.all, 1000), fileStart());
  });
}

async function recordImports(imported: number, unreadable: number): Promise<void> {
  await ask('GET', `${IMPORTS}/${imported}`);
  await ask('GET', `${IMPORTS}/${imported}?view=summary`, { name: 'summary' });
  await ask('GET', `${IMPORTS}/${NOBODY}`);
  await ask('GET', `${IMPORTS}/none`);
  await ask('GET', `${IMPORTS}?limit=1`);
  await ask('GET', `${IMPORTS}?limit=0`);
  await ask('GET', `${IMPORTS}/${unreadable}/repair-pack`);
  await ask('GET', `${IMPORTS}/${NOBODY}/repair-pack`);
  await ask('GET', `${IMPORTS}/none/repair-pack`);
}

async function recordSubmissions(imported: number): Promise<void> {
  const action = (id: number | string) => `${SUBMISSIONS}/${id}/actions/regulator-insert`;
  await ask('GET', `${SUBMISSIONS}?import_id=${imported}&limit=1`);
  await ask('GET', `${SUBMISSIONS}?limit=0`);
  await ask('GET', `${SUBMISSIONS}/1`);
  for (const id of [NOBODY, 'none']) {
    await ask('GET', `${SUBMISSIONS}/${id}`);
    await ask('GET', `${SUBMISSIONS}/${id}/xml`);
    await ask('POST', action(id));
  }
  await ask('POST', action(1));
  stack.simulator.simulation.behaviour.unavailable = true;
  await ask('POST', action(2));
  await eventually(async () => {
    const [row] = await stack.sql<{ current_step: string | null; status: string }>(
      'select current_step, status from submission where id = 2',
    );
    return row?.status === 'regulator_inserting';
  });
  await ask('POST', action(2), { name: 'already_queued' });
  stack.simulator.simulation.behaviour.unavailable = false;
}

/** Retention, in a hurry. */
async function recordRemoved(imported: number): Promise<void> {
  await stack.sql(`update zip_import set archive_removed_at = now() where id = ${imported}`);
  await stack.sql(`update submission set raw_xml = null where zip_import_id = ${imported}`);
  await ask('GET', `${IMPORTS}/${imported}/repair-pack`);
  await ask('GET', `${SUBMISSIONS}/1/xml`);
}

it('the examples of the description are what the service answers', async () => {
  // A body that never comes is waited for for half a minute.
  const { port } = stack.config.gateway;
  const json = {
    Authorization: `Bearer ${tokens.all}`,
    'Content-Type': 'application/json',
    'Content-Length': 9,
  };
  const late = askRaw(port, `${SESSION}/verification`, json, '', { everywhere: true });
  await recordHealth();
  await recordCommonErrors();
  await recordSession();
  await recordInserting();
  await recordRefusedUploads();
  const { imported, unreadable } = await recordUploads();
  await recordImports(imported, unreadable);
  await recordSubmissions(imported);
  await recordRemoved(imported);
  await late;
  const file = fileURLToPath(new URL('../../src/gateway/api-examples.json', import.meta.url));
  await expect(answers.text()).toMatchFileSnapshot(file);
}, 180_000);

it('every answer in JSON has one', () => {
  const without = Object.values(description.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([, { content }]) => content?.['application/json']?.examples === undefined)
        .filter(([, { content }]) => content?.['application/json'] !== undefined)
        .map(([status]) => `${operationId} ${status}`),
    );
  expect(without).toEqual(WITHOUT);
});
