/**
 * Finds the Temporal CLI, whose `server start-dev` is a real server with Web UI (decision §one-command): on the
 * PATH, in the cache, by the SDK's download, by building it from the Go module.
 */
import { execFile, spawn } from 'node:child_process';
import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pTimeout from 'p-timeout';

/** CLI 1.5.1 carries server 1.29.1 and its Web UI. Newer tags refuse `go install`. */
const CLI_VERSION = '1.5.1';
const CLI_MODULE = `github.com/temporalio/cli/cmd/temporal@v${CLI_VERSION}`;
/** The first server with Update-with-Start is 1.28. */
const OLDEST_SERVER = [1, 28] as const;
const DOWNLOAD_TIMEOUT_MS = 120_000;

/** Tells the user about a slow action. */
export type Progress = (line: string) => void;

/**
 * @param cacheDir directory of downloaded and built binaries
 * @throws when no binary is found, downloaded or built
 */
export async function findTemporalBinary(cacheDir: string, progress: Progress): Promise<string> {
  if (await isRecentEnough('temporal')) return 'temporal';
  const binDir = join(cacheDir, 'bin');
  const cached = join(binDir, `temporal-${CLI_VERSION}`);
  if (await isExecutable(cached)) return cached;
  await mkdir(binDir, { recursive: true });
  const work = await mkdtemp(join(binDir, 'incoming-'));
  try {
    const reasons: string[] = [];
    for (const obtain of [download, build]) {
      try {
        const binary = await obtain(work, progress);
        await chmod(binary, 0o755);
        await rename(binary, cached);
        return cached;
      } catch (error) {
        reasons.push((error as Error).message);
      }
    }
    throw new Error(
      `The Temporal server was not found: there is no "temporal" on the PATH (server ${OLDEST_SERVER.join('.')} or newer), the download failed, and the build with Go failed.\n` +
        `Install the Temporal CLI, or set TEMPORAL_ADDRESS to a running server.\n  ${reasons.join('\n  ')}`,
    );
  } finally {
    await rm(work, { recursive: true, force: true });
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

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Makes the SDK download a CLI: a short start of its test environment leaves the binary in the directory. */
async function download(work: string, progress: Progress): Promise<string> {
  progress('Downloading the Temporal server …');
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const { Runtime } = await import('@temporalio/worker');
  Runtime.install({ logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} } });
  const executable = { type: 'cached-download', downloadDir: work, version: `v${CLI_VERSION}` } as const;
  const starting = TestWorkflowEnvironment.createLocal({ server: { executable } });
  const inTime = { milliseconds: DOWNLOAD_TIMEOUT_MS, message: 'the download took too long' };
  const environment = await pTimeout(starting, inTime).catch((error: Error) => {
    throw new Error(`The download failed: ${error.message}`);
  });
  await environment.teardown();
  const [name] = await readdir(work);
  if (name === undefined) throw new Error('The download failed: no file was downloaded');
  return join(work, name);
}

async function build(work: string, progress: Progress): Promise<string> {
  progress('Building the Temporal server from its Go module; this takes some minutes, but only once …');
  const started = Date.now();
  const ticking = setInterval(
    () => progress(`Building the Temporal server … ${Math.round((Date.now() - started) / 1000)} s`),
    15_000,
  );
  try {
    await run('go', ['install', CLI_MODULE], { ...process.env, GOBIN: work });
  } finally {
    clearInterval(ticking);
  }
  return join(work, process.platform === 'win32' ? 'temporal.exe' : 'temporal');
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let tail = '';
    child.stderr.on('data', (chunk: Buffer) => {
      tail = (tail + chunk.toString()).slice(-2_000);
    });
    child.once('error', (error) => reject(new Error(`${command} cannot be run: ${error.message}`)));
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args[0]} failed: ${tail.trim()}`)),
    );
  });
}
