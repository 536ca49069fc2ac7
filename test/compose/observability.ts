/** The profile `observability`: Prometheus finds all targets, and its rules can be evaluated. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Checks } from '../support/checks.ts';
import { eventually } from '../support/eventually.ts';
import { ROOT } from '../support/page-commands.ts';
import type { Stack } from './stack.ts';
import { checkStates, START_MS } from './trial.ts';

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
