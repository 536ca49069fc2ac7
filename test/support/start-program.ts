/** The program of `npm start` as a process. */
import { spawn } from 'node:child_process';
import { NODE_OPTIONS } from '../../src/processes/shared/program.ts';

export interface StartedProgram {
  pid: number;
  /** All of its output. */
  output(): string;
  exited: Promise<number | null>;
  /** Stops it like Ctrl-C. Resolves with the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Resolves when uploads are accepted.
 *
 * @param path of the program
 * @param options `cwd`: a directory without the .env of a checkout; `detached`: a Ctrl-C in the terminal does not reach it
 * @throws with its output, when it does not start
 */
export async function startProgram(
  path: string,
  env: NodeJS.ProcessEnv,
  options: { cwd?: string; detached?: boolean } = {},
): Promise<StartedProgram> {
  const child = spawn(process.execPath, [...NODE_OPTIONS, path], {
    ...options,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-10_000);
        if (output.includes('Stop with Ctrl-C.')) resolve();
      });
    }
    void exited.then((code) => reject(new Error(`the service ended with ${code}: ${output}`)));
  });
  return {
    pid: child.pid ?? Number.NaN,
    output: () => output,
    exited,
    async stop() {
      child.kill('SIGINT');
      return exited;
    },
  };
}
