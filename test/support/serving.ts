/** Child processes that serve: databases, object stores, Prometheus. */
import type { ChildProcess } from 'node:child_process';
import { stopProcess } from '../../src/trial-parts/servers/local-server.ts';
import { eventually } from './eventually.ts';
import type { Running } from './restartable.ts';

/**
 * Resolves when the child answers.
 *
 * @param answers asks it, and gives a falsy value until it answers
 * @throws with the end of its output, after it has ended, when it does not come to answer
 */
export async function serving(child: ChildProcess, answers: () => Promise<unknown>): Promise<Running> {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000);
    });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = () => stopProcess(child, exited);
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}: ${said}`);
    return answers();
  }).catch(async (error: Error) => {
    await stop();
    throw error;
  });
  return { pid: child.pid ?? 0, exited, stop };
}
