/** A process of the service that is ended, stopped and started again from outside, as often as one likes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { descendantsOf, isListed, sendSignal } from './process-tree.ts';

export interface Running {
  pid: number;
  /** Resolves when it has ended, however. */
  exited: Promise<unknown>;
  /** Asks it to stop and waits until it has. */
  stop(): Promise<void>;
}

export interface Restartable {
  name: string;
  /** Undefined while it does not run. */
  pid(): number | undefined;
  /** Again and again, until it runs. */
  start(): Promise<void>;
  /** As an operator does. */
  stop(): Promise<void>;
  /** Ends it and all that it has started in the middle of whatever they do, and waits until they are gone. */
  kill(): Promise<void>;
  /** Stops it and all that it has started, without their noticing. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Ends it at once, waiting for nothing: this process is about to end. */
  abandon(): void;
  /** How often it has ended although nobody asked it to. */
  endedByItself(): number;
  /** How often it had not stopped after a minute, and was killed. */
  stoppedLate(): number;
}

const START_PATIENCE_MS = 10 * 60_000;
const START_PAUSE_MS = 500;
const STOP_PATIENCE_MS = 60_000;

/**
 * @param launch starts it and resolves when it is ready; it is started again when it ends by itself
 * @param say is told why it does not start
 */
export function restartable(
  name: string,
  launch: () => Promise<Running>,
  say: (line: string) => void,
): Restartable {
  let current: Running | null = null;
  let wanted = false;
  let starting: Promise<void> | null = null;
  /** They would stay for ever: whoever started them cannot end them. */
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
    const giveUpAt = Date.now() + START_PATIENCE_MS;
    while (wanted) {
      try {
        return adopt(await launch());
      } catch (error) {
        const reason = `${name} does not start: ${(error as Error).message}`;
        if (Date.now() > giveUpAt) throw new Error(reason);
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

  /** Whatever is under way, it does not run afterwards. */
  async function unwanted(): Promise<Running | null> {
    wanted = false;
    await starting?.catch(() => {});
    return current;
  }

  /** All of its processes, itself first. */
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
    // PostgreSQL does not start beside one that is still listed, if only as dead.
    for (const giveUpAt = Date.now() + 10_000; pids.some(isListed) && Date.now() < giveUpAt; )
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
      }, STOP_PATIENCE_MS);
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
