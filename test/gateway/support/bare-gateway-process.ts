/** The bare gateway in a process of its own, watched from outside. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ProgramOptions, Served, Usage } from './bare-gateway-program.ts';

export interface BareGatewayProcess extends Served {
  /** Its whole standard output and standard error: it logs elsewhere. */
  output(): string;
  /** Bytes of resident memory. */
  rss(): Promise<number>;
  usage(): Promise<Usage>;
  /** Stops it in the ordinary way, and returns its exit code. */
  stop(): Promise<number | null>;
}

export async function startBareGatewayProcess(options: ProgramOptions = {}): Promise<BareGatewayProcess> {
  const entry = fileURLToPath(new URL('bare-gateway-program.ts', import.meta.url));
  const child = fork(entry, [JSON.stringify(options)], { stdio: 'pipe', execArgv: [] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const served = await Promise.race([
    message<Served>(child),
    exited.then((code) => Promise.reject(new Error(`the gateway ended with ${code}: ${output}`))),
  ]);
  const usage = () => {
    child.send('usage?');
    return message<Usage>(child);
  };
  return {
    ...served,
    output: () => output,
    async rss() {
      return (await usage()).rss;
    },
    usage,
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

async function message<T>(child: ChildProcess): Promise<T> {
  const [said] = await once(child, 'message');
  return said as T;
}
