/** `npm run make-package`: writes a package to try the service with. */
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { count } from '../src/domain/text.ts';
import { announce, fail } from '../src/processes/shared/console.ts';
import {
  addFault,
  describeFaults,
  type Faults,
  type GeneratedPackage,
  generatePackage,
  manifestOf,
  type PackageOptions,
  parseSize,
  STYLE_NAMES,
  WRITING_STYLES,
  type WritingStyle,
} from './package-generator/index.ts';

/** What commander makes of the command line. */
interface Arguments {
  products: number;
  attachments?: number;
  attachmentCount?: number;
  storeAttachments: boolean;
  seed: number;
  submitter: string;
  year: number;
  on?: string;
  firstNumber: number;
  root: string;
  fault?: Faults;
  style: WritingStyle;
  out: string;
  manifest?: string;
}

/** Commander shows the messages of its own errors only, with the option at fault. */
function argument<T, P>(parse: (text: string, previous: P) => T): (text: string, previous: P) => T {
  return (text, previous) => {
    try {
      return parse(text, previous);
    } catch (error) {
      throw error instanceof RangeError ? new InvalidArgumentError(error.message) : error;
    }
  };
}

const whole = argument((text: string) => {
  if (!/^-?\d+$/.test(text)) throw new RangeError(`"${text}" is not a whole number`);
  return Number(text);
});

function parseArguments(): Arguments {
  return new Command('make-package')
    .description('Makes a realistic package of EU-CEG product files. The same options give the same package.')
    .option('--products <n>', 'good products; faulty files come on top', whole, 10)
    .option(
      '--attachments <size>',
      'size of all attachments together, e.g. 512KB, 20MB, 2GB',
      argument(parseSize),
    )
    .option('--attachment-count <n>', 'number of attachments (default: one for three products)', whole)
    .option('--store-attachments', 'do not compress attachments: faster for gigabytes', false)
    .option('--seed <n>', 'another seed, another package', whole, 1)
    .option('--submitter <id>', 'submitter ID, five digits', '99962')
    .option('--year <yyyy>', 'year in the product IDs', whole, 2022)
    .option(
      '--on <yyyy-mm-dd>',
      'day of the package: new products are launched half a year later (default: today)',
    )
    .option('--first-number <n>', 'running number of the first product ID', whole, 1)
    .option('--root <name>', 'name of the root directory', 'euceg-export')
    .option(
      '--fault <name[=n]>',
      'adds n files (default 1) with a fault; may be repeated',
      argument(addFault),
      {},
    )
    .addOption(
      new Option('--style <style>', 'plain: valid against the official schema; varied: mixes writing styles')
        .choices(['plain', 'varied'])
        .default('plain'),
    )
    .option('--out <file>', 'where to write the package', 'package.zip')
    .option('--manifest <file>', 'also write what the importer should make of each file, as JSON')
    .addHelpText('after', () => `\n${faultTable()}\n\n${styleTable()}`)
    .showHelpAfterError('(--help shows all options)')
    .allowExcessArguments(false)
    .parse()
    .opts<Arguments>();
}

function faultTable(): string {
  const rows = describeFaults().map(
    ({ name, about, effect }) => `  ${name.padEnd(24)}${effect.padEnd(26)}${about}`,
  );
  return ['Faults, what comes of them when the package is imported, and what they are:', ...rows].join('\n');
}

function styleTable(): string {
  const rows = STYLE_NAMES.map((name) => {
    const { about, warns } = WRITING_STYLES[name];
    return `  ${name.padEnd(24)}${(warns ? 'created, with a warning' : 'created').padEnd(26)}${about}`;
  });
  return ['Writing styles that --style varied mixes:', ...rows].join('\n');
}

function optionsOf(given: Arguments): PackageOptions {
  const { products, seed, year, firstNumber, root, style, storeAttachments } = given;
  return {
    ...{ products, seed, year, firstNumber, root, style, storeAttachments },
    submitterId: given.submitter,
    ...(given.on !== undefined && { on: given.on }),
    ...(given.fault !== undefined && { faults: given.fault }),
    ...(given.attachments !== undefined && { attachmentBytes: given.attachments }),
    ...(given.attachmentCount !== undefined && { attachments: given.attachmentCount }),
  };
}

/** The generator's names of options, as they are called here. */
const FLAGS: Readonly<Record<string, string>> = {
  submitterId: '--submitter',
  on: '--on',
  attachmentBytes: '--attachments',
  attachments: '--attachment-count',
  firstNumber: '--first-number',
};

function inTermsOfFlags(message: string): string {
  return message.replace(/\b\w+(?= (?:must be|is) )/g, (name) => FLAGS[name] ?? name);
}

/** Before minutes are spent on a package that cannot be kept. */
async function requireDirectoryOf(path: string): Promise<void> {
  const directory = dirname(path);
  const found = await stat(directory).catch(() => null);
  if (!found?.isDirectory()) throw new Error(`There is no directory ${directory} to write ${path} to`);
}

function summaryOf({ files, refusal, outcomes }: GeneratedPackage, path: string, bytes: number): string {
  const { created, failed, skipped } = outcomes;
  const expected =
    refusal === null
      ? `${created} created, ${failed} failed, ${skipped} skipped`
      : `the package is refused (${refusal.source.trim()})`;
  const size = bytes < 100_000 ? `${bytes} bytes` : `${(bytes / 1024 ** 2).toFixed(2)} MB`;
  return `${path}: ${count(files.length, 'file')}, ${size}; expected: ${expected}`;
}

try {
  const given = parseArguments();
  const generated = generatePackage(optionsOf(given));
  await requireDirectoryOf(given.out);
  if (given.manifest !== undefined) {
    await requireDirectoryOf(given.manifest);
    await pipeline(Readable.from(manifestOf(generated)), createWriteStream(given.manifest));
  }
  const { bytes } = await generated.writeTo(given.out);
  announce(summaryOf(generated, given.out, bytes));
} catch (error) {
  fail(error instanceof RangeError ? inTermsOfFlags(error.message) : error);
}
