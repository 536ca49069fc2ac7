/** `.env.example` names every variable, and nothing names one that does not exist. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CONFIG_VARIABLES } from '../../src/config/index.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Variables that only docker-compose.yml, or the system, knows. */
const OF_COMPOSE =
  /^(?:XDG_CACHE_HOME|IMAGE_TAG|TEMPORAL_SERVER_TAG|BIND_ADDRESS|KEYCLOAK_\w+|GRAFANA_\w+|PROMETHEUS_PORT|POSTGRES_PASSWORD|(?:TEMPORAL_)?DATABASE_PASSWORD|COMPOSE_ENCRYPTION_SECRET|(?:OPERATOR|UPLOADER)_PASSWORD|(?:DEMO_CLIENT|NO_PERMISSION|OTHER_COMPANY)_SECRET)$/;

describe('.env.example', () => {
  it('lists exactly the variables of the service and of docker-compose', async () => {
    const named = [...(await read('.env.example')).matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(
      ([, name]) => name ?? '',
    );
    expect(named.filter((name) => !OF_COMPOSE.test(name)).sort()).toEqual([...CONFIG_VARIABLES].sort());
  });
});

describe('README.md', () => {
  it('names only variables that exist', async () => {
    const readme = await read('README.md');
    const named = [...readme.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name]) => name ?? '');
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !CONFIG_VARIABLES.includes(name) && !name.startsWith('AWS_'))).toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  it('sets only variables that exist', async () => {
    const compose = await read('docker-compose.yml');
    const ours = [...compose.matchAll(/^ {2,6}([A-Z][A-Z_]+): \$\{\1/gm)].map(([, name]) => name ?? '');
    expect(ours.length).toBeGreaterThan(20);
    expect(ours.filter((name) => !CONFIG_VARIABLES.includes(name) && !OF_COMPOSE.test(name))).toEqual([]);
  });
});
