/** The workers of a service, started by the bench with options of its own. */
import { fork } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf } from '../processes.ts';
import type { Service } from '../service.ts';
import type { Setting } from './settings.ts';

/** Milliseconds of CPU, and of standing still for garbage collection in all threads together. */
export interface WorkerTime {
  cpu: number;
  collecting: number;
}

export interface StartedWorker {
  time(): Promise<WorkerTime>;
  /** The most memory that it has ever had, in MB. Linux only. */
  peak(): Promise<number>;
  stop(): Promise<void>;
}

const urlOf = (file: string) => new URL(file, import.meta.url).href;

/** The service's own workers do nothing with these. */
export const WITHOUT_WORKERS = { NODE_OPTIONS: `--import=${urlOf('./idle-worker.ts')}` };

const ROLES = { inserts: 'regulator-insert', imports: 'package-import,package-reading' } as const;
/** Threads write a little later what they know. */
const WRITTEN_MS = 500;

export type Workers = Record<keyof typeof ROLES, StartedWorker>;

export async function startWorkers(service: Service, setting: Setting): Promise<Workers> {
  const [inserts, imports] = await Promise.all([
    startWorker(service, 'inserts', setting, setting.insertYoung),
    startWorker(service, 'imports', setting, setting.importYoung),
  ]);
  return { inserts, imports };
}

async function startWorker(
  { root, env, directory }: Service,
  roles: keyof typeof ROLES,
  { old, parserThreads, poolSize }: Setting,
  young: number,
): Promise<StartedWorker> {
  const collections = await mkdtemp(join(directory, 'collections-'));
  const child = fork(join(root, 'src', 'bin', 'worker.ts'), [], {
    cwd: directory,
    env: {
      ...env,
      NODE_OPTIONS: '',
      BENCH_COLLECTIONS_DIRECTORY: collections,
      WORKER_ROLES: ROLES[roles],
      DATABASE_POOL_SIZE: String(poolSize),
      PARSER_THREADS: String(parserThreads),
    },
    execArgv: [
      `--max-old-space-size=${old}`,
      `--max-semi-space-size=${young}`,
      `--import=${urlOf('./watch-collections.ts')}`,
    ],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const pid = child.pid ?? Number.NaN;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once('message', ({ type, reason }: { type: string; reason?: string }) =>
      type === 'ready' ? resolve() : reject(new Error(reason)),
    );
    void exited.then(() => reject(new Error(`the worker for ${roles} did not start`)));
  });
  return {
    async time() {
      await sleep(WRITTEN_MS);
      return { cpu: await cpuOf(pid), collecting: await collecting(collections) };
    },
    peak: () => peakOf(pid),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function collecting(directory: string): Promise<number> {
  const threads = await readdir(directory);
  const times = await Promise.all(threads.map((name) => readFile(join(directory, name), 'utf8')));
  return times.reduce((sum, milliseconds) => sum + Number(milliseconds), 0);
}

async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}
