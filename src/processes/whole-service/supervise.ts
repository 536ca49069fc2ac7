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
  const { name, graceMs, interrupted, progress } = supervised;
  let stopping = false;
  let current = launch(supervised);
  const stop = () => end(current, graceMs);
  const sentence = ({ reason, code }: Ended) => `The ${name} ended (${reason ?? code}).`;
  interrupted.addEventListener('abort', stop);
  const isReady = await current.ready;
  interrupted.removeEventListener('abort', stop);
  if (!isReady) {
    const ended = await current.exited;
    throw new Error(ended.reason ?? sentence(ended));
  }
  const watch = async () => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const since = Date.now();
      const ended = await current.exited;
      if (stopping) return;
      if (Date.now() - since > STABLE_MS) pause = FIRST_PAUSE_MS;
      progress(`${sentence(ended)} Restarting it.`);
      await sleep(pause);
      if (stopping) return;
      current = launch(supervised);
    }
  };
  void watch();
  return {
    async close() {
      stopping = true;
      await stop();
    },
  };
}

interface Launched {
  /** Undefined if the system has refused the process. */
  child?: ChildProcess;
  /** False if the process has ended before it was ready. */
  ready: Promise<boolean>;
  exited: Promise<Ended>;
}

interface Ended {
  /** In the words of the process, if it has given any. */
  reason: string | undefined;
  /** The exit code, or the signal that killed the process; of a process that the system has refused, its error. */
  code: string;
}

/** A process that the system refuses, for example without memory, counts as ended. */
function launch(supervised: Supervised): Launched {
  try {
    return begin(supervised);
  } catch (error) {
    const ended = { reason: undefined, code: messageOf(error) };
    return { ready: Promise.resolve(false), exited: Promise.resolve(ended) };
  }
}

function begin({ program, input, env, execArgv, detached, progress }: Supervised): Launched {
  const child = fork(fileURLToPath(program), [], {
    env,
    execArgv: [...execArgv],
    detached,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let reason: string | undefined;
  const exited = new Promise<Ended>((resolve) => {
    child.once('exit', (code, signal) => resolve({ reason, code: signal ?? `exit code ${code}` }));
    // Without a process id it has not begun, and no exit follows.
    child.on('error', ({ message }) => child.pid === undefined && resolve({ reason, code: message }));
  });
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
  // A process that has not begun may have no channel.
  if (input !== undefined && child.pid !== undefined) child.send(input);
  return { child, ready, exited };
}

/** Asks a process to end, also during its start. Kills it if it does not end in time. */
async function end({ child, exited }: Launched, graceMs: number): Promise<void> {
  // Not SIGTERM: Windows has no signals, and would end their process before the servers.
  if (child?.connected) child.disconnect();
  const insist = setTimeout(() => child?.kill('SIGKILL'), graceMs + STOPPING_MS);
  await exited;
  clearTimeout(insist);
}
