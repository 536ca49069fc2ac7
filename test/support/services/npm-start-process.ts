/** `npm start` as a process with all its descendants, as a user runs it and as a power cut ends it. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { NODE_OPTIONS } from '../../../src/processes/shared/node-options.ts';
import { eventually } from '../eventually.ts';
import { descendantsOf, isListed, sendSignal } from '../process-tree.ts';

/** Processes of the service, identified by their command lines. */
const PARTS = {
  gateway: /processes\/gateway\.ts/,
  worker: /processes\/worker\.ts/,
  temporal: /server start-dev/,
  postgres: /postgres.* -D /,
} as const;

export type Part = keyof typeof PARTS;

export interface NpmStartProcess {
  /** All of its output. */
  output(): string;
  /** Kills one of its processes at any point. @throws when it does not run */
  kill(part: Part): Promise<void>;
  /** Kills all of its processes at once. */
  killAll(): Promise<void>;
  /** Stops it like Ctrl-C. Resolves with the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Resolves when uploads are accepted.
 *
 * @throws with its output, when it does not start
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
      // PostgreSQL does not start while its predecessor is still listed, even as a zombie.
      await eventually(async () => all.every(({ pid }) => !isListed(pid)));
    },
    async stop() {
      child.kill('SIGINT');
      return exited;
    },
  };
}
