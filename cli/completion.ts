/**
 * Completion candidates for a shell, from commander's own description of the commands. Of the libraries for it, omelette
 * and tabtab are not maintained, and @bomb.sh/tab cannot offer files, which uploads need first.
 */
import type { Command, Option } from 'commander';

export interface Candidate {
  value: string;
  description: string;
}

/** Tells the shell to offer files. */
export const FILES = ':files';

/**
 * @param words after the program's name; the last one is incomplete, perhaps empty
 * @param profiles stored names for `--profile`
 */
export function candidatesFor(
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
