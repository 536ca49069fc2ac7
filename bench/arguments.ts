/** The command line of `npm run bench`. */
import { Argument, Command, InvalidArgumentError } from 'commander';
import { type Measure, QUICK_SIZES, SIZES, type Sizes } from './measure.ts';

export interface Arguments {
  /** Names of measures, in the order in which they run. */
  names: string[];
  sizes: Sizes;
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
    .description('Measures the service in ratio to floors. Both are measured in turns in the same run.')
    .addArgument(new Argument('[measure...]', 'measures to run; by default all').choices(known))
    .option('--quick', 'few products and one round, to check that everything works', false)
    .option('--attachments', 'packages with attachments', false)
    .option('--against <commit>', 'another commit to measure in turns with this one')
    .option('--rounds <n>', 'number of times that everything is measured', whole)
    .option('--products <n>', 'number of products of an ordinary import, 1 to 200', upTo(200))
    .option('--waiting <n>', 'number of products of a large import', whole)
    .option(
      '--background <n>',
      'number of products that are inserted while another upload waits for its answer',
      whole,
    )
    .option('--upload-mb <n>', 'size of the large ZIP', upTo(2_047))
    .parse(argv, { from: 'user' });
  const { quick, attachments, against = null, ...given } = command.opts<Options>();
  const names = command.args.length > 0 ? command.args : known;
  return {
    names,
    sizes: { ...(quick ? QUICK_SIZES : SIZES), ...given },
    withAttachments: attachments,
    against,
  };
}

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

function upTo(most: number) {
  return (text: string): number => {
    if (whole(text) > most) throw new InvalidArgumentError(`It must be at most ${most}.`);
    return whole(text);
  };
}
