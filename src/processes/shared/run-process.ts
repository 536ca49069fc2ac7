/** The life cycle of the long-running processes: start, report of readiness, and stop. */
import type { RunningPart } from './parts.ts';

/** Message to the supervisor, if there is one. */
export type ChildMessage = { type: 'ready'; url?: string } | { type: 'failed'; reason: string };

type Part = RunningPart & { url?: string; failed?: Promise<never> };

/** Starts a part and runs the process until it is asked to stop, its supervisor disconnects, or the part fails. */
export async function runProcess(name: string, start: () => Promise<Part>): Promise<void> {
  const say = (message: ChildMessage) => process.send?.(message);
  let part: Part;
  // Before it is ready, there is nothing to finish.
  const end = () => process.exit(1);
  process.once('disconnect', end);
  try {
    part = await start();
  } catch (error) {
    const reason = (error as Error).message;
    process.stderr.write(`${name} did not start: ${reason}\n`);
    say({ type: 'failed', reason });
    process.exitCode = 1;
    process.disconnect?.();
    return process.exit(1);
  }
  process.off('disconnect', end);
  const stopped = new Promise<number>((resolve) => {
    const stop = () => resolve(0);
    process.once('SIGTERM', stop);
    // Ctrl-C also reaches supervised processes. They ignore it, because the supervisor stops them in order.
    process.on('SIGINT', process.send ? () => {} : stop);
    process.once('disconnect', stop);
    part.failed?.catch((error: Error) => {
      process.stderr.write(`${name} failed: ${error.message}\n`);
      resolve(1);
    });
  });
  say({ type: 'ready', ...(part.url !== undefined && { url: part.url }) });
  const code = await stopped;
  await part
    .close()
    .catch((error: Error) => process.stderr.write(`${name} did not stop cleanly: ${error.message}\n`));
  process.exit(code);
}
