/** Supervises the service's processes: restarts a process that ends, and stops it on request. */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ChildMessage, NODE_OPTIONS, type RunningPart } from '../shared/program.ts';

interface SuperviseOptions {
  env: NodeJS.ProcessEnv;
  /** Time for its running work. Some seconds later a process that does not stop is killed. */
  graceMs: number;
  /** Ends the first start. */
  interrupted: AbortSignal;
  progress(line: string): void;
}

/** Time beyond the grace period for a process to cancel its running work and to close its connections. */
const STOPPING_MS = 15_000;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** A process that has run this long restarts with the first pause. */
const STABLE_MS = 60_000;

/** A program in src/processes. */
type Program = 'gateway' | 'worker';

/** Starts a program as a process and resolves when it is ready. @throws if its first start fails */
export async function supervise(program: Program, options: SuperviseOptions): Promise<RunningPart> {
  let stopping = false;
  let current = await launch(program, options);
  const watch = async () => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const since = Date.now();
      const code = await current.exited;
      if (stopping) return;
      if (Date.now() - since > STABLE_MS) pause = FIRST_PAUSE_MS;
      options.progress(`The ${program} ended (${code ?? 'killed'}). Restarting it.`);
      await sleep(pause);
      if (stopping) return;
      current = await launch(program, options).catch(() => ({ child: null, exited: Promise.resolve(1) }));
    }
  };
  void watch();
  return {
    async close() {
      stopping = true;
      const { child, exited } = current;
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      // Like SIGTERM, also on Windows, which has no signals.
      if (child.connected) child.disconnect();
      const insist = setTimeout(() => child.kill('SIGKILL'), options.graceMs + STOPPING_MS);
      await exited;
      clearTimeout(insist);
    },
  };
}

interface Launched {
  child: ChildProcess | null;
  exited: Promise<number | null>;
}

async function launch(program: Program, { env, interrupted }: SuperviseOptions): Promise<Launched> {
  const child = fork(fileURLToPath(new URL(`../${program}.ts`, import.meta.url)), [], {
    env,
    execArgv: [...NODE_OPTIONS],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const end = () => child.kill('SIGTERM');
  interrupted.addEventListener('abort', end);
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message: ChildMessage) => {
      if (message.type === 'ready') resolve();
      else reject(new Error(message.reason));
    });
    void exited.then((code) => reject(new Error(`the ${program} ended with exit code ${code}`)));
  });
  interrupted.removeEventListener('abort', end);
  return { child, exited };
}
