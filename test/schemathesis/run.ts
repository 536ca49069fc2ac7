/**
 * Schemathesis (PyPI) against a live service: `npm run test:schemathesis`, or `node test/schemathesis/run.ts`.
 *
 * Makes requests from the description at /api/doc.json, valid and invalid ones, single and in chains, and holds
 * every answer against that description: statuses, bodies, refusals, authentication. Needs Python 3.10 or newer
 * with pip, which fetches Schemathesis once into the cache; says so and ends with 0 where Python is missing. The
 * whole service runs on free ports with its data in a temporary directory. Takes about five minutes, which is
 * why it is no part of `npm test`. Further arguments go to `schemathesis run`, e.g. `--seed 7`.
 *
 * Exits with 1 when Schemathesis finds a failure.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startStack } from '../../src/bin/stack.ts';
import { createApiClient } from '../../src/client/api-client.ts';
import { followImport } from '../../src/client/follow-import.ts';
import { packageImportsOf } from '../../src/client/package-imports.ts';
import { loadConfig } from '../../src/config.ts';
import { DEMO_CLIENT } from '../../src/local/identity-service/identity-service.ts';
import { generatePackage } from '../../src/local/package-generator/index.ts';
import { freePorts } from '../support/free-ports.ts';
import { installSchemathesis, runTool } from './schemathesis.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);
const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** These end the session without which no upload is taken: they get a turn of their own, behind the others. */
const SESSION_ENDS = ['postRegulatorSession', 'deleteRegulatorSession'];
const TURNS = [
  SESSION_ENDS.flatMap((id) => ['--exclude-operation-id', id]),
  ['--include-tag', 'Regulator session'],
];

/** What is to be ended, in the order in which it was started. */
const started: (() => Promise<void>)[] = [];

async function run(): Promise<number> {
  const schemathesis = await installSchemathesis(loadConfig().cacheDir, say);
  if (schemathesis === null) {
    say('skipped: Schemathesis needs Python 3.10 or newer with venv and pip');
    return 0;
  }
  const directory = await mkdtemp(join(tmpdir(), 'package-import-schemathesis-'));
  started.push(() => rm(directory, { recursive: true, force: true }));
  // PostgreSQL, as another user, has to get there.
  await chmod(directory, 0o755);
  const { gatewayUrl, tokenUrl } = await startService(directory);
  const client = createApiClient({ gatewayUrl, tokenUrl, ...DEMO_CLIENT });
  const path = join(directory, 'package.zip');
  await importSomething(client, path);
  let worst = 0;
  for (const turn of TURNS) {
    const args = [
      ...['--config-file', beside('schemathesis.toml'), 'run', `${gatewayUrl}/api/doc.json`],
      ...['--header', `Authorization: Bearer ${await client.accessToken()}`],
      ...turn,
      ...process.argv.slice(2),
    ];
    const env = {
      SCHEMATHESIS_HOOKS: 'hooks',
      PYTHONPATH: beside('.'),
      PYTHONDONTWRITEBYTECODE: '1',
      EXAMPLE_PACKAGE: path,
    };
    worst = Math.max(worst, await runTool(schemathesis, args, { cwd: directory, env }));
  }
  return worst;
}

async function startService(directory: string): Promise<{ gatewayUrl: string; tokenUrl: string }> {
  const names =
    'PORT IAM_PORT POSTGRES_PORT TEMPORAL_PORT TEMPORAL_UI_PORT REGULATOR_PORT MAIL_PORT MAIL_UI_PORT'.split(
      ' ',
    );
  const ports = await freePorts(names.length);
  const env = {
    ...process.env,
    ...Object.fromEntries(names.map((name, index) => [name, String(ports[index])])),
    DATA_DIR: directory,
    // Each archive that cannot be read is an error in the log; there will be hundreds.
    LOG_LEVEL: 'fatal',
  };
  const { gatewayUrl, tokenUrl, stop } = await startStack(loadConfig(env), env, say);
  started.push(stop);
  if (tokenUrl === null)
    throw new Error('This script needs the embedded identity service: unset AUTH_ISSUER.');
  return { gatewayUrl, tokenUrl };
}

/** So that there is something to be read, repaired and run. */
async function importSomething(client: ReturnType<typeof createApiClient>, path: string): Promise<void> {
  const faults = { 'unknown-type': 1 };
  const { bytes } = await generatePackage({ products: 2, seed: 1, attachmentBytes: 0, faults }).writeTo(path);
  const upload = { path, fileName: 'package.zip', sizeBytes: bytes };
  const { data } = await packageImportsOf(client).upload(upload);
  await followImport(client, data.id);
}

async function stopAll(): Promise<void> {
  for (const stop of started.splice(0).reverse()) await stop();
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stopAll().then(() => process.exit(130)));
}
let code = 1;
try {
  code = await run();
} catch (error) {
  say(`failed: ${(error as Error).message}`);
} finally {
  say('Stopping …');
  await stopAll();
}
process.exit(code === 0 ? 0 : 1);
