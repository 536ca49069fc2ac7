/** `completion` prints a shell's completion script. `complete` answers that script's queries. */
import { Argument, type Command, type Option } from 'commander';
import type { Act } from '../context.ts';
import { EXIT } from '../outcome.ts';

/** Tells the shell to offer files. */
const FILES = ':files';

// One script per shell. It asks the command for candidates, one `value<TAB>description` per line. Bash from 3.2, as on
// macOS.

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

interface Candidate {
  value: string;
  description: string;
}

/**
 * @param words after the program's name; the last one is incomplete, perhaps empty
 * @param profiles stored names for `--profile`
 */
function candidatesFor(
  program: Command,
  words: readonly string[],
  profiles: readonly string[],
): readonly Candidate[] | typeof FILES {
  const current = words.at(-1) ?? '';
  const { command, pending, positional } = readWords(program, words.slice(0, -1));
  const offered = (values: readonly string[]) =>
    matching(values.map((value) => ({ value, description: '' })));
  const matching = (all: readonly Candidate[]) => all.filter(({ value }) => value.startsWith(current));
  if (pending) {
    if (pending.long === '--profile') return offered(profiles);
    return takesFile(pending.flags) ? FILES : offered(pending.argChoices ?? []);
  }
  if (current.startsWith('-')) return matching(optionsOf(program, command).map(described));
  const visible = command.createHelp().visibleCommands(command);
  if (command.commands.length > 0)
    return matching(visible.map((sub) => ({ value: sub.name(), description: sub.description() })));
  const argument = command.registeredArguments[positional];
  if (argument && takesFile(argument.name())) return FILES;
  return offered(argument?.argChoices ?? []);
}

/** Finds the typed command, the number of its arguments, and the option whose value comes next. */
function readWords(program: Command, words: readonly string[]) {
  let command = program;
  let pending: Option | null = null;
  let positional = 0;
  for (const word of words) {
    if (pending) pending = null;
    else if (word.startsWith('-')) pending = optionWithValue(optionsOf(program, command), word);
    else {
      const sub = command.commands.find((one) => one.name() === word);
      if (sub) command = sub;
      else positional += 1;
    }
  }
  return { command, pending, positional };
}

function optionWithValue(options: readonly Option[], word: string): Option | null {
  const option = options.find(({ long, short }) => word === long || word === short);
  return option && (option.required || option.optional) ? option : null;
}

function optionsOf(program: Command, command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command === program ? own : [...own, ...program.options.filter(({ long }) => long !== '--version')];
}

function described({ long, short, description }: Option): Candidate {
  return { value: long ?? short ?? '', description };
}

function takesFile(text: string): boolean {
  return /\bfile(?:\.\w+)?>?$/.test(text);
}
