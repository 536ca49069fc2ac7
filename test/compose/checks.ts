/** Permissions of the containers, and the profile observability. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Checks } from '../support/checks.ts';
import { eventually } from '../support/eventually.ts';
import { ROOT } from '../support/page-commands.ts';
import type { Stack } from './stack.ts';
import { checkStates, LASTING, START_MS } from './trial.ts';

export async function checkConfinement(stack: Stack, checks: Checks): Promise<void> {
  for (const name of [...LASTING, 'regulator-simulator']) {
    // The simulator has no cache, and its volume is /data.
    const more = LASTING.includes(name) ? ['/app/.cache', '/data'] : [];
    const places = ['/app', '/etc', '/home/node', ...more];
    const touch = ['touch', ...places.map((place) => `${place}/x`)].join(' ');
    const script = `id -u; grep -E "^(Cap(Eff|Prm|Bnd)|NoNewPrivs)" /proc/1/status; ${touch} 2>&1; touch /tmp/x && echo writes`;
    const said = await stack.compose(['exec', '-T', name, 'sh', '-c', script]);
    const holds =
      /^1000$/m.test(said) &&
      said.match(/^Cap(Eff|Prm|Bnd):\s+0+$/gm)?.length === 3 &&
      /NoNewPrivs:\s+1/.test(said) &&
      said.match(/Read-only file system/g)?.length === places.length &&
      said.includes('writes');
    checks.that(`${name}: user 1000, no privilege, a read-only root, and /tmp`, holds, said);
  }
  const attempt = ['sh', '-c', 'touch /data/archive/x 2>&1 || true'];
  const reading = await stack.compose(['exec', '-T', 'worker-regulator-insert', ...attempt]);
  checks.that(
    'worker-regulator-insert reads the archive and cannot write to it',
    /Read-only/.test(reading),
    reading,
  );
  const query = (database: string) => [
    ...['exec', '-T', '--env', `PGPASSWORD=${stack.secrets.COMPOSE_TEMPORAL_PASSWORD}`, 'postgres'],
    ...['psql', '--host=127.0.0.1', '--username=temporal', '--dbname', database, '--command', 'select 1'],
  ];
  await stack.compose(query('temporal'));
  const refused = await stack.compose(query('package_import')).then(
    () => 'let in',
    (error: Error) => error.message,
  );
  checks.that("Temporal's database user is kept out of ours", /permission denied/.test(refused), refused);
}

/** A gateway and a worker of each role. */
const TARGETS = 4;

interface Target {
  health: string;
  labels: Record<string, string>;
  lastError: string;
}

interface Rule {
  name: string;
  /** `unknown` until the first evaluation. */
  health: 'ok' | 'err' | 'unknown';
  lastError?: string;
}

/** @param without services that cannot be started */
export async function checkObservability(
  stack: Stack,
  without: readonly string[],
  checks: Checks,
): Promise<void> {
  const wanted = ['prometheus', 'grafana'].filter((name) => !without.includes(name));
  await stack.compose(['--profile', 'observability', 'up', '--detach', ...wanted]);
  await checkStates(stack, checks, wanted);
  const api = async <T>(path: string) => {
    const answer = await fetch(`http://localhost:${stack.ports.prometheus}/api/v1/${path}`);
    return ((await answer.json()) as { data: T }).data;
  };

  const targets = async () => (await api<{ activeTargets: Target[] }>('targets')).activeTargets;
  const answering = async () => (await targets()).filter(({ health }) => health === 'up').length === TARGETS;
  await eventually(answering, START_MS).catch(() => null);
  checks.that(
    'Prometheus finds the gateway and three workers by name, and all answer',
    await answering(),
    (await targets()).map(({ labels, lastError }) => `${labels.instance} ${lastError}`),
  );

  const rules = async () =>
    (await api<{ groups: { rules: Rule[] }[] }>('rules')).groups.flatMap((group) => group.rules);
  const evaluated = async () => (await rules()).every(({ health }) => health !== 'unknown');
  await eventually(evaluated, START_MS).catch(() => null);
  const loaded = await rules();
  const written = (await namesOfRules()).filter((name) => loaded.every((rule) => rule.name !== name));
  checks.none(`Prometheus has the ${loaded.length} rules of deploy/prometheus`, written);
  checks.none(
    'and can evaluate each',
    loaded
      .filter(({ health }) => health !== 'ok')
      .map(({ name, health, lastError }) => `${name} ${health} ${lastError}`),
  );
}

async function namesOfRules(): Promise<string[]> {
  const { groups } = parse(await readFile(join(ROOT, 'deploy/prometheus/alerts.yml'), 'utf8')) as {
    groups: { rules: { alert?: string; record?: string }[] }[];
  };
  return groups.flatMap(({ rules }) => rules.map(({ alert, record }) => alert ?? record ?? ''));
}
