/** Command lines of the processes. The environment configures them (decision §configuration-is-the-environment). */
import { parseArgs } from 'node:util';

export interface Program<Option extends string> {
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
 * Reads the options of this process. Ends the process with 0 after `--help`, and with 2 and a message after an unknown
 * argument. To be called before anything is started.
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
