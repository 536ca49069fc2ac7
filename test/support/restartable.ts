/** A process of the service that a test can end, freeze and restart repeatedly. */
import { setTimeout as sleep } from 'node:timers/promises';
import { descendantsOf, isListed, sendSignal } from './process-tree.ts';

export interface Running {
  pid: number;
  /** Resolves when it has ended for any reason. */
  exited: Promise<unknown>;
  /** Requests a stop and waits for the end. */
  stop(): Promise<void>;
}

export interface Restartable {
  name: string;
  /** Undefined while it does not run. */
  pid(): number | undefined;
  /** Retries until it runs. */
  start(): Promise<void>;
  /** Stops it like an operator. */
  stop(): Promise<void>;
  /** Kills it and all its descendants at any point, and waits until they are gone. */
  kill(): Promise<void>;
  /** Suspends it and all its descendants without notice. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Ends it at once without waiting, because this process is about to end. */
  abandon(): void;
  /** Number of unrequested ends. */
  endedByItself(): number;
  /** Number of stops that took longer than a minute and ended with a kill. */
  stoppedLate(): number;
}

const MAX_START_MS = 10 * 60_000;
const START_PAUSE_MS = 500;
const MAX_STOP_MS = 60_000;

/**
 * @param launch starts it and resolves when it is ready; it is started again when it ends by itself
 * @param say gets the reason when it does not start
 */
export function restartable(
  name: string,
  launch: () => Promise<Running>,
  say: (line: string) => void,
): Restartable {
  let current: Running | null = null;
  let wanted = false;
  let starting: Promise<void> | null = null;
  /** Suspended processes must be resumed or killed: their parent cannot end them. */
  let frozen: number[] = [];
  const counts = { itself: 0, late: 0 };

  async function start(): Promise<void> {
    wanted = true;
    if (current) return;
    starting ??= launchPatiently().finally(() => {
      starting = null;
    });
    await starting;
  }

  async function launchPatiently(): Promise<void> {
    const deadline = Date.now() + MAX_START_MS;
    while (wanted) {
      try {
        return adopt(await launch());
      } catch (error) {
        const reason = `${name} does not start: ${(error as Error).message}`;
        if (Date.now() > deadline) throw new Error(reason);
        say(reason);
        await sleep(START_PAUSE_MS);
      }
    }
  }

  function adopt(running: Running): void {
    current = running;
    void running.exited.then(() => {
      if (current !== running) return;
      current = null;
      if (!wanted) return;
      counts.itself += 1;
      start().catch((error: Error) => say(error.message));
    });
  }

  /** Prevents a restart, and waits for a start in progress. */
  async function unwanted(): Promise<Running | null> {
    wanted = false;
    await starting?.catch(() => {});
    return current;
  }

  /** All of its processes; the root comes first. */
  async function tree(): Promise<number[]> {
    if (current === null) return [];
    return [current.pid, ...(await descendantsOf(current.pid)).map(({ pid }) => pid)];
  }

  async function signal(name: NodeJS.Signals): Promise<number[]> {
    const pids = await tree();
    for (const pid of pids) sendSignal(pid, name);
    return pids;
  }

  async function kill(): Promise<void> {
    const running = await unwanted();
    const pids = await signal('SIGKILL');
    await running?.exited;
    current = null;
    // PostgreSQL does not start while its predecessor is still listed, even as a zombie.
    for (const deadline = Date.now() + 10_000; pids.some(isListed) && Date.now() < deadline; )
      await sleep(50);
  }

  return {
    name,
    pid: () => current?.pid,
    start,
    async stop() {
      const running = await unwanted();
      if (running === null) return;
      const late = setTimeout(() => {
        counts.late += 1;
        void signal('SIGKILL');
      }, MAX_STOP_MS);
      await running.stop();
      await running.exited;
      clearTimeout(late);
      current = null;
    },
    kill,
    async freeze() {
      frozen = await signal('SIGSTOP');
    },
    async thaw() {
      await signal('SIGCONT');
      frozen = [];
    },
    abandon() {
      wanted = false;
      if (current) for (const pid of [current.pid, ...frozen]) sendSignal(pid, 'SIGKILL');
    },
    endedByItself: () => counts.itself,
    stoppedLate: () => counts.late,
  };
}
