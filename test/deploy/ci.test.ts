/**
 * Configuration of the usual CI hosts and of the update bot, which no test here runs, and the programs that CI brings.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../support/found-program.ts';
import { temporaryDirectory } from '../support/temporary.ts';
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
  it('runs the tests, builds the image, and checks signatures and known vulnerabilities', async () => {
    const commands = await commandsOf(path);
    expect(commands).toContain('.ci/run');
    expect(commands).toContain('npm audit signatures');
    expect(commands).toContain('npm audit --omit=dev --audit-level=high');
    expect(commands.filter((command) => /trivy:\S+ image\s.*--exit-code 1/.test(command))).toHaveLength(1);
    const build = commands.find((command) => command.startsWith('docker build')) ?? '';
    const dockerfile = /--file (\S+)/.exec(build)?.[1] ?? 'none';
    expect(await exists(dockerfile)).toBe(true);
  });

  it('has no step that always succeeds', async () => {
    const text = await readText(path);
    expect(text).not.toMatch(/continue-on-error|allow_failure|if: always\(\)/);
    for (const command of await commandsOf(path))
      expect(command).not.toMatch(/\|\||;|\bset \+e\b|(?<!\|)\|(?!\|)/);
  });

  it('pins actions by commit, with their version in a comment', async () => {
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

describe('.ci/programs', () => {
  const PROGRAMS = ['chromium-headless-shell', 'zsh', 'fish', 'prometheus', 'versitygw'];

  /** The output on a machine that has only these programs, which do nothing. */
  async function outputWith(programs: readonly string[]): Promise<string> {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'package-import/bin'), { recursive: true });
    for (const name of programs) {
      await writeFile(join(directory, name), '#!/bin/sh\n');
      await chmod(join(directory, name), 0o755);
    }
    const script = fileURLToPath(new URL('../../.ci/programs', import.meta.url));
    const env = { PATH: directory, XDG_CACHE_HOME: directory };
    const { stdout, stderr } = await promisify(execFile)((await findProgram('bash')) ?? '', [script], {
      env,
    });
    return stdout + stderr;
  }

  it('names each program that it cannot install, and succeeds', async () => {
    const all = PROGRAMS.map((name) => `${name} cannot be installed here.\n`).join('');
    expect(await outputWith(['mkdir'])).toBe(all);
    expect(await outputWith(['mkdir', 'apt-get', 'go', 'dpkg-deb', 'mktemp', 'mv'])).toBe(all);
  });

  it('prints nothing if every program exists', async () => {
    expect(await outputWith(['mkdir', ...PROGRAMS])).toBe('');
  });
});

describe('the update bot', () => {
  interface Rule {
    groupName?: string;
    matchPackageNames?: string[];
  }

  /** Its version may be older than the SDK's (decision §traceparent-only). */
  const PUBLISHED_LATER = '@temporalio/interceptors-opentelemetry-v2';

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

  it('has no rule for unused packages', async () => {
    const names = await used();
    const patterns = (await rules()).flatMap(({ matchPackageNames = [] }) => matchPackageNames);
    expect(patterns.filter((pattern) => !names.some((name) => covers(pattern, name)))).toEqual([]);
  });

  it('updates all packages of Temporal together', async () => {
    const { dependencies, devDependencies } = JSON.parse(await readText('package.json'));
    const temporal = Object.entries<string>({ ...dependencies, ...devDependencies }).filter(([name]) =>
      name.startsWith('@temporalio/'),
    );
    const ofTheSdk = temporal.filter(([name]) => name !== PUBLISHED_LATER);
    expect(new Set(ofTheSdk.map(([, version]) => version)).size).toBe(1);
    const { packages } = JSON.parse(await readText('package-lock.json')) as { packages: object };
    expect(Object.keys(packages).filter((path) => path.includes('/node_modules/@temporalio/'))).toEqual([]);
    const all = await rules();
    const groups = temporal.map(([name]) =>
      all.filter(({ matchPackageNames = [] }) => matchPackageNames.some((pattern) => covers(pattern, name))),
    );
    expect(groups.map((rules) => rules.map(({ groupName }) => groupName))).toEqual(
      temporal.map(() => ['Temporal SDK']),
    );
  });
});
