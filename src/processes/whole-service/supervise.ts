/** Supervises child processes: restarts one that ends, and stops it on request. */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../common/text.ts';
import type { ChildMessage, RunningPart } from '../shared/program.ts';

/** A process may report a slow start. */
export interface ProgressMessage {
  type: 'progress';
  line: string;
}

interface Supervised {
  /** For people. */
  name: string;
  program: URL;
  /** Sent to each process when it has started. */
  input?: object;
  env?: NodeJS.ProcessEnv;
  execArgv: readonly string[];
  /** A process group of its own: Ctrl-C in the terminal does not reach it. */
  detached?: boolean;
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

/** Starts a program as a process and resolves when it is ready. @throws with its reason if its first start fails */
export async function supervise(supervised: Supervised): Promise<RunningPart> {
  const { name, progress, graceMs } = supervised;
  let stopping = false;
  let current = launch(supervised);
  await current;
  const watch = async () => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const since = Date.now();
      const reason = await current.then(({ exited }) => exited).catch(messageOf);
      if (stopping) return;
      if (Date.now() - since > STABLE_MS) pause = FIRST_PAUSE_MS;
      progress(`The ${name} ended (${reason}). Restarting it.`);
      await sleep(pause);
      if (stopping) return;
      current = launch(supervised);
    }
  };
  void watch();
  return {
    async close() {
      stopping = true;
      // Also one that is being restarted.
      const running = await current.catch(() => null);
      if (running === null) return;
      const { child, exited } = running;
      // Like SIGTERM, also on Windows, which has no signals.
      if (child.connected) child.disconnect();
      const insist = setTimeout(() => child.kill('SIGKILL'), graceMs + STOPPING_MS);
      await exited;
      clearTimeout(insist);
    },
  };
}

interface Launched {
  child: ChildProcess;
  /** Why: in its own words, or its exit code. */
  exited: Promise<string>;
}

/** @throws when the process has ended, with its reason, if it has given one */
async function launch({
  name,
  program,
  input,
  interrupted,
  progress,
  ...options
}: Supervised): Promise<Launched> {
  const child = fork(fileURLToPath(program), [], {
    ...options,
    execArgv: [...options.execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let reason: string | undefined;
  const exited = new Promise<string>((resolve) =>
    child.once('exit', (code) => resolve(reason ?? String(code ?? 'killed'))),
  );
  const end = () => child.kill('SIGTERM');
  interrupted.addEventListener('abort', end);
  const ready = new Promise<boolean>((resolve) => {
    child.on('message', (message: ChildMessage | ProgressMessage) => {
      if (message.type === 'ready') resolve(true);
      else if (message.type === 'progress') progress(message.line);
      else {
        reason = message.reason;
        // Otherwise this channel would keep a process alive that waits for a server which can neither start nor stop.
        if (child.connected) child.disconnect();
      }
    });
    void exited.then(() => resolve(false));
  });
  if (input !== undefined) child.send(input);
  const isReady = await ready;
  interrupted.removeEventListener('abort', end);
  if (!isReady) throw new Error(reason ?? `the ${name} ended with exit code ${await exited}`);
  return { child, exited };
}
