/** The command line of `npm run bench`. */
import { Argument, Command, InvalidArgumentError } from 'commander';
import { type Measure, QUICK_SIZES, SIZES, type Sizes } from './measure.ts';

export interface Arguments {
  /** Names of measures, in the order in which they run. */
  names: string[];
  sizes: Sizes;
  isQuick: boolean;
  withAttachments: boolean;
  /** Another commit, measured in turns with this one. */
  against: string | null;
}

interface Options extends Partial<Sizes> {
  quick: boolean;
  attachments: boolean;
  against?: string;
}

/** @returns the parsed arguments; ends the process when they are invalid */
export function parseArguments(
  argv: readonly string[],
  measures: readonly Pick<Measure, 'name'>[],
): Arguments {
  const known = measures.map(({ name }) => name);
  const command = new Command('bench')
    .description(
      'Measures the service as ratios to floors that are measured in the same run, in turns with it.',
    )
    .addArgument(new Argument('[measure...]', 'measures to run; by default all').choices(known))
    .option('--quick', 'few products and one round, to see that everything works; nothing is kept', false)
    .option('--attachments', 'packages with attachments; nothing is kept', false)
    .option('--against <commit>', 'measures another commit in turns with this one')
    .option('--rounds <n>', 'how often everything is measured', whole)
    .option('--products <n>', 'products of an ordinary import, 1 to 200', upTo(200))
    .option('--waiting <n>', 'products of a large import', whole)
    .option('--background <n>', 'products that are inserted while others ask for an answer', whole)
    .option('--upload-mb <n>', 'size of the large ZIP', upTo(2_047))
    .parse(argv, { from: 'user' });
  const { quick, attachments, against = null, ...given } = command.opts<Options>();
  const names = command.args.length > 0 ? command.args : known;
  return {
    names,
    sizes: { ...(quick ? QUICK_SIZES : SIZES), ...given },
    isQuick: quick,
    withAttachments: attachments,
    against,
  };
}

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1');
  return value;
}

function upTo(most: number) {
  return (text: string): number => {
    if (whole(text) > most) throw new InvalidArgumentError(`at most ${most}`);
    return whole(text);
  };
}
