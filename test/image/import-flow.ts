/** A package from its upload to the regulator and the summary, and an upload during which everything is stopped. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiClient, createApiClient } from '../../cli/client/api-client.ts';
import { followImport } from '../../cli/client/follow-import.ts';
import { packageImportsOf } from '../../cli/client/package-imports.ts';
import type { ImportResult } from '../../src/contract/types.ts';
import { DEMO_CLIENT } from '../../src/trial-parts/identity-service/identity-service.ts';
import type { Behaviour } from '../../src/trial-parts/regulator-simulator/behaviour.ts';
import type { SimulatedCase } from '../../src/trial-parts/regulator-simulator/state.ts';
import { generatePackage } from '../../tools/package-generator/generate-package.ts';
import type { Checks } from '../support/checks.ts';
import { Connection } from '../support/connection.ts';
import { eventually } from '../support/eventually.ts';
import { BODY_END, fileStart, head, PART_END, uploadHeaders } from '../support/multipart.ts';
import type { Container } from './containers.ts';
import { type Process, untilAnswering, type World } from './world.ts';

const PRODUCTS = 6;
/** Latency of each regulator call. A product needs many calls: its insert outlives the stop of the gateway. */
const SLOW_MS = 1000;
const RECIPIENT = 'you@company.example';
const gatewayUrlOf = ({ config }: World) => `http://127.0.0.1:${config.gateway.port}`;

/** The client, once the service is logged in with the regulator as an operator does it. */
export async function logIn(world: World): Promise<ApiClient> {
  const { regulator, auth } = world.config;
  const { clientId, clientSecret } = DEMO_CLIENT;
  const tokenUrl = auth.tokenUrl ?? '';
  const client = createApiClient({ gatewayUrl: gatewayUrlOf(world), tokenUrl, clientId, clientSecret });
  await client.call('postRegulatorSession');
  const pending = await fetch(`${regulator.url}/control/verification-code`);
  await client.call('postRegulatorSessionVerification', {
    body: (await pending.json()) as { code: string },
  });
  return client;
}

export async function checkImport(world: World, client: ApiClient, checks: Checks): Promise<void> {
  const { path, bytes } = await makePackage(world, 1);
  const upload = { path, fileName: 'first.zip', sizeBytes: bytes, email: RECIPIENT };
  const { data } = await packageImportsOf(client).upload(upload);
  await checkEnd(world, client, data, checks);
  const page = await fetch(`${gatewayUrlOf(world)}/app/`);
  checks.that(
    'the web page is served',
    page.status === 200 && (await page.text()).includes('<html'),
    page.status,
  );
}

/** New products for each number. */
async function makePackage({ directory }: World, number: number) {
  const path = join(directory, `package-${number}.zip`);
  const generated = generatePackage({
    products: PRODUCTS,
    seed: number,
    firstNumber: number * 100,
    attachmentBytes: 512 * 1024,
  });
  return { path, bytes: (await generated.writeTo(path)).bytes };
}

/** Follows an import; then the regulator must have each product once, and the recipient a summary. */
async function checkEnd(
  world: World,
  client: ApiClient,
  result: ImportResult,
  checks: Checks,
): Promise<void> {
  const { id, submissions } = result;
  const report = await followImport(client, id, { firstPauseMs: 200 });
  checks.that(`import ${id} is completed`, report.status === 'completed', report.status);
  const cases = (await casesOf(world)).map((one) => one.product_id);
  const products = submissions.map(({ product_id }) => product_id);
  const times = products.map((product) => cases.filter((one) => one === product).length);
  checks.that(
    `import ${id}: the regulator has its ${PRODUCTS} products, each once`,
    products.length === PRODUCTS && times.every((count) => count === 1),
    times,
  );
  if (report.notification === null) return;
  const mails = (await world.mailbox.store.list()).filter(({ subject }) =>
    subject.startsWith(`Package import ${id}:`),
  );
  checks.that(`import ${id}: one summary was mailed`, mails.length === 1, mails.length);
}

interface Running {
  gateway: Container;
  workers: Record<string, Process>;
}

/**
 * Stops the gateway in the middle of an upload, and the workers in the middle of its inserts. Each must end well, and others
 * bring the import to its end.
 */
export async function checkDrain(
  world: World,
  client: ApiClient,
  { gateway, workers }: Running,
  checks: Checks,
): Promise<void> {
  const { path } = await makePackage(world, 2);
  await behave(world, { latency_ms: SLOW_MS });
  const answer = await uploadWhileStopping(world, gateway, await readFile(path), await client.accessToken());
  checks.that('gateway: finishes the upload under way', answer.status === 200, answer);
  checks.that('gateway: ends with 0', (await gateway.exited) === 0, gateway.output());
  for (const { container } of Object.values(workers)) await container.terminate();
  for (const [role, { container }] of Object.entries(workers))
    checks.that(`worker-${role}: ends with 0`, (await container.exited) === 0, container.output());
  checks.none(
    'nothing logged an error',
    [gateway, ...Object.values(workers).map((one) => one.container)].flatMap(errorsOf),
  );
  const inserted = (await casesOf(world)).filter(({ steps }) => steps.emission !== undefined).length;
  checks.that(
    'the workers were stopped while products were being inserted',
    inserted < 2 * PRODUCTS,
    inserted,
  );

  await behave(world, { latency_ms: 0 });
  const next = await world.startGateway();
  const others = await world.startWorkers();
  for (const { healthUrl, container } of [next, ...Object.values(others)])
    await untilAnswering(healthUrl, container);
  if (answer.result !== null) await checkEnd(world, client, answer.result, checks);
}

interface UploadAnswer {
  status: number;
  result: ImportResult | null;
}

/** An upload whose second half is sent once the gateway stops and takes no connections any more. */
async function uploadWhileStopping(
  { config, directory }: World,
  gateway: Container,
  zip: Buffer,
  token: string,
): Promise<UploadAnswer> {
  const { port } = config.gateway;
  const end = PART_END + BODY_END;
  const connection = await Connection.open(port);
  const length = fileStart().length + zip.length + end.length;
  await connection.send(head(uploadHeaders(token, length)) + fileStart());
  const half = Math.floor(zip.length / 2);
  await connection.send(zip.subarray(0, half));
  const incoming = join(directory, 'archive', '.incoming');
  await eventually(async () => (await readdir(incoming).catch(() => [])).length > 0);
  await gateway.terminate();
  await eventually(() => isRefused(port));
  await connection.send(zip.subarray(half));
  await connection.send(end);
  const status = await connection.status();
  await connection.untilEnded();
  return { status, result: status === 200 ? resultIn(connection.received) : null };
}

async function isRefused(port: number): Promise<boolean> {
  const attempt = await Connection.open(port).catch(() => null);
  attempt?.destroy();
  return attempt === null;
}

/** From an answer as it was received: chunked, each chunk behind a line with its size. */
function resultIn(received: string): ImportResult {
  const body = received.slice(received.indexOf('\r\n\r\n') + 4);
  const pieces = body.split(/(?:^|\r\n)[0-9a-f]+\r\n/);
  return (JSON.parse(pieces.join('').trim()) as { data: ImportResult }).data;
}

async function behave({ config }: World, behaviour: Partial<Behaviour>): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'PUT', headers, body: JSON.stringify(behaviour) };
  const { ok, status } = await fetch(`${config.regulator.url}/control/behaviour`, request);
  if (!ok) throw new Error(`the simulator answered ${status}`);
}

async function casesOf({ config }: World): Promise<SimulatedCase[]> {
  return (await fetch(`${config.regulator.url}/control/cases`)).json() as Promise<SimulatedCase[]>;
}

/** Lines of a log with level `error` or worse (pino). */
function errorsOf({ output }: Container): string[] {
  return output()
    .split('\n')
    .filter((line) => /^\{"level":[56]0,/.test(line));
}
