/**
 * The service against a real third-party identity service: `node test/keycloak/run.ts`.
 *
 * Needs Java 17 and Maven, which fetches Keycloak (about 160 MB, once); says so and ends with 0 where they are
 * missing. Starts Keycloak with the realm of deploy/keycloak and the whole service beside it, each on free ports
 * with its data in a temporary directory, and ends both. Takes two to four minutes, most of it Keycloak's start
 * and the minute for which a key set counts as fresh; that is why it is no part of `npm test`.
 *
 * Exits with 1 when a check fails.
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from '../../src/bin/stack.ts';
import { loadConfig } from '../../src/config.ts';
import { freePorts } from '../support/free-ports.ts';
import { runChecks } from './checks.ts';
import { missingTools, startKeycloak } from './keycloak.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);

const missing = missingTools();
if (missing !== null) {
  say(`skipped: Keycloak cannot be started here, ${missing} is missing`);
  process.exit(0);
}

/** What is to be ended, in the order in which it was started. */
const started: (() => Promise<void>)[] = [];

async function run(): Promise<number> {
  const keycloak = await startKeycloak(say);
  started.push(keycloak.stop);
  const directory = await mkdtemp(join(tmpdir(), 'package-import-keycloak-stack-'));
  // PostgreSQL may run as a user of its own, who has to get through.
  await chmod(directory, 0o711);
  started.push(() => rm(directory, { recursive: true, force: true }));
  const names =
    'PORT POSTGRES_PORT TEMPORAL_PORT TEMPORAL_UI_PORT REGULATOR_PORT MAIL_PORT MAIL_UI_PORT'.split(' ');
  const ports = await freePorts(names.length);
  const env = {
    ...process.env,
    ...Object.fromEntries(names.map((name, index) => [name, String(ports[index])])),
    DATA_DIR: directory,
    LOG_LEVEL: 'warn',
    // All that has to be said to the service about its identity service: the rest is in Keycloak's metadata.
    AUTH_ISSUER: keycloak.issuer,
  };
  const stack = await startStack(loadConfig(env), env, say);
  started.push(() => stack.stop());
  const zip = await readFile(new URL('../../examples/package.zip', import.meta.url));
  return runChecks({ keycloak, gatewayUrl: stack.gatewayUrl, zip, say });
}

async function stopAll(): Promise<void> {
  for (const stop of started.splice(0).reverse()) await stop();
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stopAll().then(() => process.exit(130)));
}
let failed = 1;
try {
  failed = await run();
} catch (error) {
  say(`failed: ${(error as Error).message}`);
} finally {
  say('Stopping …');
  await stopAll();
}
process.exit(failed === 0 ? 0 : 1);
