/** Configuration of the usual CI hosts and of the update bot: no test here runs them. */
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exists, readText, readYaml } from './support.ts';

interface Job {
  steps?: { uses?: string; run?: string }[];
  script?: string[];
}

const WORKFLOWS = '.github/workflows/';
const FILES = [
  ...(await readdir(new URL(`../../${WORKFLOWS}`, import.meta.url))).map((name) => WORKFLOWS + name),
  '.gitlab-ci.yml',
];

/** The commands of all jobs of a file. */
async function commandsOf(path: string): Promise<string[]> {
  const [file = {}] = await readYaml<{ jobs?: Record<string, Job> } & Record<string, Job>>(path);
  const jobs = Object.values(file.jobs ?? file);
  return jobs.flatMap(({ steps = [], script = [] }) => [...steps.flatMap(({ run }) => run ?? []), ...script]);
}

describe.each(FILES)('%s', (path) => {
  it('runs what everybody runs, builds the image, looks at signatures', async () => {
    const commands = await commandsOf(path);
    expect(commands).toContain('.ci/run');
    expect(commands).toContain('npm audit signatures');
    const build = commands.find((command) => command.startsWith('docker build')) ?? '';
    const dockerfile = /--file (\S+)/.exec(build)?.[1] ?? 'none';
    expect(await exists(dockerfile)).toBe(true);
  });

  it('has no step that cannot fail', async () => {
    const text = await readText(path);
    expect(text).not.toMatch(/continue-on-error|allow_failure|if: always\(\)/);
    for (const command of await commandsOf(path))
      expect(command).not.toMatch(/\|\||;|\bset \+e\b|(?<!\|)\|(?!\|)/);
  });

  it('names actions by their commits, and the version beside them', async () => {
    const used = [...(await readText(path)).matchAll(/uses: (\S+)(.*)/g)].map(([, action, comment]) => [
      action,
      comment,
    ]);
    if (path.startsWith(WORKFLOWS)) expect(used.length).toBeGreaterThan(0);
    for (const [action, comment] of used) {
      expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      expect(comment).toMatch(/^ # v\d+\.\d+\.\d+$/);
    }
  });
});

describe('the update bot', () => {
  interface Rule {
    groupName?: string;
    matchPackageNames?: string[];
  }

  const covers = (pattern: string, name: string) =>
    pattern.endsWith('/**') ? name.startsWith(pattern.slice(0, -2)) : name === pattern;

  async function rules(): Promise<Rule[]> {
    return (JSON.parse(await readText('renovate.json')) as { packageRules: Rule[] }).packageRules;
  }

  /** Packages of package.json, and images without their tags. */
  async function used(): Promise<string[]> {
    const { dependencies, devDependencies, overrides } = JSON.parse(await readText('package.json'));
    const files = await Promise.all(['docker-compose.yml', 'deploy/Dockerfile'].map(readText));
    const images = files.flatMap((text) =>
      [...text.matchAll(/image: ([\w./-]+)/g)].map(([, image]) => image ?? ''),
    );
    return [...Object.keys({ ...dependencies, ...devDependencies, ...overrides }), ...images];
  }

  it('has no rule about what is not used', async () => {
    const names = await used();
    const patterns = (await rules()).flatMap(({ matchPackageNames = [] }) => matchPackageNames);
    expect(patterns.filter((pattern) => !names.some((name) => covers(pattern, name)))).toEqual([]);
  });

  it('moves all of Temporal at once, as it is one version here', async () => {
    const { dependencies, devDependencies } = JSON.parse(await readText('package.json'));
    const temporal = Object.entries<string>({ ...dependencies, ...devDependencies }).filter(([name]) =>
      name.startsWith('@temporalio/'),
    );
    expect(new Set(temporal.map(([, version]) => version)).size).toBe(1);
    const all = await rules();
    const groups = temporal.map(([name]) =>
      all.filter(({ matchPackageNames = [] }) => matchPackageNames.some((pattern) => covers(pattern, name))),
    );
    expect(groups.map((rules) => rules.map(({ groupName }) => groupName))).toEqual(
      temporal.map(() => ['Temporal SDK']),
    );
  });
});
