/** Starts and stops the keeper of the embedded servers (`keeper-process.ts`). */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RunningPart } from '../shared/parts.ts';
import type { KeeperMessage, KeepOptions } from './keeper-process.ts';

/**
 * Starts the keeper and resolves when its servers are ready.
 *
 * @throws with the reason if one of them does not start
 */
export async function startKeeper(
  options: KeepOptions,
  progress: (line: string) => void,
): Promise<RunningPart> {
  const child = fork(fileURLToPath(new URL('./keeper-process.ts', import.meta.url)), [], {
    // In its own process group, so that Ctrl-C in the terminal does not reach it.
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message: KeeperMessage) => {
      if (message.type === 'progress') progress(message.line);
      else if (message.type === 'ready') resolve();
      else reject(new Error(message.reason));
    });
    void exited.then(() => reject(new Error('The keeper of PostgreSQL and Temporal ended at once')));
    child.send(options);
  });
  return {
    async close() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
