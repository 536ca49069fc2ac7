/** `completion` prints a shell's completion script. `complete` answers that script's queries. */
import { Argument, type Command } from 'commander';
import { candidatesFor, FILES } from '../completion.ts';
import type { Act } from '../context.ts';
import { EXIT } from '../outcome.ts';

// One script per shell. It asks the command for candidates, one `value<TAB>description` per line. Bash from 3.2, as on macOS.

const BASH = `_package_import() {
  local IFS=$'\\n' current="\${COMP_WORDS[COMP_CWORD]}" found
  found="$(package-import complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)"
  if [ "$found" = '${FILES}' ]; then
    COMPREPLY=( $(compgen -f -- "$current") )
  else
    COMPREPLY=( $found )
  fi
}
complete -o filenames -F _package_import package-import`;

const ZSH = `#compdef package-import
_package_import() {
  local -a found
  found=( "\${(@f)$(package-import complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}" )
  if [[ "$found[1]" == '${FILES}' ]]; then
    _files
  else
    found=( "\${(@)found/$'\\t'/:}" )
    _describe 'package-import' found
  fi
}
compdef _package_import package-import`;

const FISH = `function __package_import
  set -l words (commandline -opc) (commandline -ct)
  set -l found (package-import complete -- $words[2..-1] 2>/dev/null)
  if test "$found" = '${FILES}'
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $found
  end
end
complete -c package-import -f -a '(__package_import)'`;

const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export function addCompletionCommands(program: Command, act: Act): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(Object.keys(COMPLETION_SCRIPTS)))
    .description('print the completion script of a shell')
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
