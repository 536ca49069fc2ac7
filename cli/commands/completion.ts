/** `completion` prints a shell's completion script. `complete` answers that script's queries. */
import { Argument, type Command } from 'commander';
import { candidatesFor, FILES } from '../completion.ts';
import { COMPLETION_SCRIPTS } from '../completion-scripts.ts';
import type { Act } from '../context.ts';
import { EXIT } from '../outcome.ts';

export function addCompletionCommands(program: Command, act: Act): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(COMPLETION_SCRIPTS)))
    .description('print the script with which a shell completes this command')
    .action(
      act.locally(async (_context, shell: string) => {
        const script = COMPLETION_SCRIPTS[shell] ?? '';
        return { json: { status: 'success', script }, text: script, exitCode: EXIT.ok };
      }),
    );
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(
      act.locally(async ({ profiles }, words: string[]) => {
        // Errors during completion are not visible, so a damaged file offers no names.
        const names = Object.keys(await profiles.list().catch(() => ({})));
        const found = candidatesFor(program, words, names);
        const lines =
          found === FILES ? [FILES] : found.map(({ value, description }) => `${value}\t${description}`);
        return { json: { status: 'success', found }, text: lines.join('\n'), exitCode: EXIT.ok };
      }),
    );
}
