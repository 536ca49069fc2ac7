/** The command `package-import`, from its arguments to its exit code. */
import { Command, CommanderError } from 'commander';
import type { RetryPolicy } from '../client/retrying.ts';
import { addInsertingCommands } from './commands/inserting.ts';
import { addRepairPackCommand } from './commands/repair-pack.ts';
import { addRetryCommand } from './commands/retry.ts';
import { addSessionCommands } from './commands/session.ts';
import { addStatusCommand } from './commands/status.ts';
import { addTokenCommand } from './commands/token.ts';
import { addUploadCommand } from './commands/upload.ts';
import { addGlobalOptions, type GlobalOptions } from './connection.ts';
import { type Act, createContext } from './context.ts';
import { failureOf } from './failure.ts';
import { EXIT, type Outcome } from './outcome.ts';
import { createProgress } from './progress.ts';
import type { Screen } from './screen.ts';

export interface CommandOptions {
  screen: Screen;
  version: string;
  /** Ends what is under way; its reason is an `Interrupted`. */
  signal: AbortSignal;
  /** Of uploads that did not get through; by default the client's. */
  retries?: RetryPolicy;
}

const AFTER_HELP = `
Examples:
  package-import upload package.zip --email you@company.example --wait
  package-import status
  package-import retry 7 --wait

Exit codes: 0 all is good; 1 something failed; 2 the command line is wrong, and nothing was changed;
130 stopped by Ctrl-C.`;

/** @param args without the program's name */
export async function runCommand(
  args: readonly string[],
  { screen, version, signal, retries }: CommandOptions,
): Promise<number> {
  const { stdout, stderr } = screen;
  const progress = createProgress(stderr);
  let outcome: Outcome | undefined;
  const program = new Command('package-import');
  const act: Act =
    (run) =>
    async (...args) => {
      const options = program.opts<GlobalOptions>();
      outcome = await run(createContext({ options, screen, progress, version, retries, signal }), ...args);
    };
  program
    .description('Imports product packages into a regulator’s system, by a package import service.')
    .version(version)
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help shows all options)')
    .addHelpText('after', AFTER_HELP)
    .exitOverride();
  addGlobalOptions(program);
  addUploadCommand(program, act);
  addStatusCommand(program, act);
  addRetryCommand(program, act);
  addRepairPackCommand(program, act);
  addSessionCommands(program, act);
  addInsertingCommands(program, act);
  addTokenCommand(program, act);

  const printJson = (json: object) => stdout.write(`${JSON.stringify(json, null, 2)}\n`);
  try {
    await program.parseAsync([...args], { from: 'user' });
    if (!outcome) return EXIT.ok;
    if (program.opts<GlobalOptions>().json) printJson(outcome.json);
    else stdout.write(`${outcome.text}\n`);
    return outcome.ok ? EXIT.ok : EXIT.failed;
  } catch (error) {
    progress.end();
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      // To people, commander has said already what is wrong with the command line; it knows no options then.
      if (args.includes('--json')) printJson({ status: 'error', message: error.message, advice: [] });
      return EXIT.usage;
    }
    const failure = failureOf(error, program.opts<GlobalOptions>());
    for (const line of failure.lines) stderr.write(`${line}\n`);
    if (program.opts<GlobalOptions>().json) printJson(failure.json);
    return failure.exitCode;
  }
}
