/** Runs the command `package-import`: from arguments to exit code. */
import { homedir } from 'node:os';
import { Command, CommanderError } from 'commander';
import type { RetryPolicy } from '../src/common/retrying.ts';
import { COMMANDS } from './commands/index.ts';
import { addGlobalOptions, type GlobalOptions, resolveConnection } from './connection.ts';
import { type Act, createContext, type LocalContext } from './context.ts';
import { failureOf } from './failure.ts';
import { EXIT, type Outcome } from './outcome.ts';
import { configDirectory, createProfileStore } from './profiles.ts';
import { createProgress } from './progress.ts';
import type { Screen } from './screen.ts';

interface CommandOptions {
  screen: Screen;
  version: string;
  /** Aborts the command; its reason is an `Interrupted`. */
  signal: AbortSignal;
  /** Policy for failed uploads; by default the client's. */
  retries?: RetryPolicy;
  /** Directory of the connections that `login` stores; by default the user's own. */
  configDirectory?: string;
}

const AFTER_HELP = `
Examples:
  package-import upload package.zip --email you@company.example --wait
  package-import list
  package-import retry 7 --wait

Exit codes:
  0    success
  1    the request failed
  2    the command line is wrong; nothing was sent or changed
  3    the package was refused
  4    products or files failed, or the package has no products
  5    the queried state is negative: no active session, inserting is paused, or doctor or
       dossier verify found a fault
  130  stopped by Ctrl-C`;

/** @param args without the program's name */
export async function runCommand(
  args: readonly string[],
  { screen, version, signal, retries, configDirectory: directory = usersOwn() }: CommandOptions,
): Promise<number> {
  const { stdout, stderr } = screen;
  const progress = createProgress(stderr);
  const profiles = createProfileStore(directory, process.platform);
  const program = createProgram(screen, version);
  let outcome: Outcome | undefined;
  const local = (options = program.opts<GlobalOptions>()): LocalContext => {
    const width = stdout.isTTY ? stdout.columns : undefined;
    return { options, profiles, screen, progress, width, signal };
  };
  const act = ((work) =>
    async (...given) => {
      const context = local(await resolveConnection(program, profiles));
      outcome = await work(await createContext(context, { version, retries }), ...given);
    }) as Act;
  act.locally =
    (work) =>
    async (...given) => {
      outcome = await work(local(), ...given);
    };
  for (const addCommand of COMMANDS) addCommand(program, act);

  const printJson = (json: object) => stdout.write(`${JSON.stringify(json, null, 2)}\n`);
  try {
    await program.parseAsync([...args], { from: 'user' });
    if (!outcome) return EXIT.ok;
    if (program.opts<GlobalOptions>().json) printJson(outcome.json);
    else if (outcome.text !== '') stdout.write(`${outcome.text}\n`);
    return outcome.exitCode;
  } catch (error) {
    progress.end();
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      // Commander has already printed the usage error for people. The options are not parsed then, so the arguments are
      // searched.
      if (args.includes('--json')) printJson({ status: 'error', message: error.message, advice: [] });
      return EXIT.usage;
    }
    const failure = failureOf(error, program.opts<GlobalOptions>());
    for (const line of failure.lines) stderr.write(`${line}\n`);
    if (program.opts<GlobalOptions>().json) printJson(failure.json);
    return failure.exitCode;
  }
}

function createProgram({ stdout, stderr }: Screen, version: string): Command {
  const program = new Command('package-import')
    .description('Uploads packages to a package import service. Shows, retries and cancels their imports.')
    .version(version)
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help shows all options)')
    .addHelpText('after', AFTER_HELP)
    .exitOverride();
  addGlobalOptions(program);
  return program;
}

function usersOwn(): string {
  return configDirectory({ platform: process.platform, env: process.env, home: homedir() });
}
