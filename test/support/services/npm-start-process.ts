/** `npm start` as a process, with everything that it starts: what a user has, and what a power cut ends. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { NODE_OPTIONS } from '../../../src/processes/shared/node-options.ts';
import { eventually } from '../eventually.ts';
import { descendantsOf, isListed, sendSignal } from '../process-tree.ts';

/** The processes of the service, by what their command lines show. */
const PARTS = {
  gateway: /processes\/gateway\.ts/,
  worker: /processes\/worker\.ts/,
  temporal: /server start-dev/,
  postgres: /postgres.* -D /,
} as const;

export type Part = keyof typeof PARTS;

export interface NpmStartProcess {
  /** Everything that it has written. */
  output(): string;
  /** Ends one of its processes in the middle of whatever it does. @throws when it does not run */
  kill(part: Part): Promise<void>;
  /** Ends all of its processes at once. */
  killAll(): Promise<void>;
  /** As Ctrl-C does. Resolves with the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Resolves when uploads are accepted.
 *
 * @throws with what it wrote, when it does not start
 */
export async function startNpmStartProcess(env: NodeJS.ProcessEnv): Promise<NpmStartProcess> {
  const program = fileURLToPath(new URL('../../../src/processes/start.ts', import.meta.url));
  const child = spawn(process.execPath, [...NODE_OPTIONS, program], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('Stop with Ctrl-C.')) resolve();
      });
    }
    void exited.then((code) => reject(new Error(`the service ended with ${code}: ${output}`)));
  });
  return {
    output: () => output,
    async kill(part) {
      const found = (await descendantsOf(child.pid)).find(({ command }) => PARTS[part].test(command));
      if (!found) throw new Error(`no ${part} runs: ${output}`);
      process.kill(found.pid, 'SIGKILL');
    },
    async killAll() {
      const all = [{ pid: child.pid ?? 0 }, ...(await descendantsOf(child.pid))];
      for (const { pid } of all) sendSignal(pid, 'SIGKILL');
      await exited;
      // PostgreSQL does not start beside one that is still listed, if only as dead.
      await eventually(async () => all.every(({ pid }) => !isListed(pid)));
    },
    async stop() {
      child.kill('SIGINT');
      return exited;
    },
  };
}
