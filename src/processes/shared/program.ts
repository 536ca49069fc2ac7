/** Common parts of every program: its command line, life cycle, messages, and options of Node.js. */
import { parseArgs } from 'node:util';

interface Program<Option extends string> {
  /** The command that people type. */
  command: string;
  /** Description of the program, in whole sentences. */
  about: string;
  /** Description of each option. No option has a value. */
  options?: Record<Option, string>;
}

/** Exit code, the same as that of the command line for clients. */
const WRONG_USAGE = 2;
const HELP = 'show this help';
const CONFIGURATION =
  'Environment variables configure it. It also reads the file .env in the working directory. .env.example in the repository lists all variables.';

/**
 * Reads the options of this process. The environment configures the rest (decision §configuration-is-the-environment).
 * Ends the process with 0 after `--help`, and with 2 and a message after an unknown argument. To be called before
 * anything is started.
 */
export function readArguments<Option extends string = never>(
  program: Program<Option>,
): Partial<Record<Option, boolean>> {
  const { options } = program;
  const names = Object.keys({ ...options, help: HELP });
  const flags = Object.fromEntries(names.map((name) => [name, { type: 'boolean' as const }]));
  try {
    const { values } = parseArgs({ options: flags });
    if (!values.help) return values as Partial<Record<Option, boolean>>;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n(--help shows all options)\n`);
    process.exit(WRONG_USAGE);
  }
  process.stdout.write(helpOf(program));
  process.exit(0);
}

function helpOf({ command, about, options }: Program<string>): string {
  const lines = Object.entries({ ...options, help: HELP }).map(
    ([name, says]) => `  --${name.padEnd(8)}${says}`,
  );
  return `Usage: ${command} [options]\n\n${about}\n\nOptions:\n${lines.join('\n')}\n\n${CONFIGURATION}\n`;
}

/** A part of a process, or a process, that runs until it is closed. */
export interface RunningPart {
  close(): Promise<void>;
}

/** Message to the supervisor, if there is one. */
export type ChildMessage = { type: 'ready'; url?: string } | { type: 'failed'; reason: string };

type Part = RunningPart & { url?: string; failed?: Promise<never> };

/** Starts a part and runs the process until it is asked to stop, its supervisor disconnects, or the part fails. */
export async function runProcess(name: string, start: () => Promise<Part>): Promise<void> {
  // Without a callback, an error of a supervisor that has ended would end this process before it has stopped.
  const say = (message: ChildMessage) => process.send?.(message, () => {});
  let part: Part;
  // Before it is ready, there is nothing to finish.
  const end = () => process.exit(1);
  process.once('disconnect', end);
  // The supervisor may have disconnected while the modules of the program were loaded.
  if (process.send && !process.connected) end();
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
    process.on('SIGTERM', stop);
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

/** Prints a line for people. */
export function announce(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints the reason and ends the process with 1. */
export function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

/**
 * Options of Node.js for small heaps. By default, V8 lets garbage grow to gigabytes on a large machine, although the
 * processes need far less (measured in test/end-to-end/{hostile,large}-packages.test.ts). The scripts of package.json and
 * deploy/Dockerfile contain the same values.
 */
export const NODE_OPTIONS = ['--max-old-space-size=256', '--max-semi-space-size=8'] as const;
