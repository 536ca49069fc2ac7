/** `npm run make-package`: writes a package to try the service with. */
import { Command, Option } from 'commander';
import { count } from '../src/common/text.ts';
import { announce, fail } from '../src/processes/shared/program.ts';
import {
  FILE_FAULT_NAMES,
  FILE_FAULTS,
  PACKAGE_FAULT_NAMES,
  PACKAGE_FAULTS,
} from './package-generator/faults.ts';
import { type GeneratedPackage, generatePackage } from './package-generator/generate-package.ts';
import { addFault, type PackageOptions } from './package-generator/options.ts';
import { STYLE_NAMES, STYLES } from './package-generator/styles.ts';

/** NaN for an empty text, which `Number` takes for 0. */
const number = (text: string) => (text.trim() === '' ? Number.NaN : Number(text));

const command = new Command('make-package')
  .description('Makes a realistic package of EU-CEG product files. The same options give the same package.')
  .option('--products <n>', 'number of good products; faulty files are added to them', number, 10)
  .option('--attachment-bytes <n>', 'size of all attachments together, in bytes, e.g. 20e6', number)
  .option('--attachments <n>', 'number of attachments (default: one for every three products)', number)
  .option('--seed <n>', 'seed; another seed gives another package', number, 1)
  .option('--submitter-id <id>', 'submitter ID, five digits', '99962')
  .option('--year <yyyy>', 'year in the product IDs', number, 2022)
  .option(
    '--on <yyyy-mm-dd>',
    'day of the package: new products are launched half a year later (default: today)',
  )
  .option('--first-number <n>', 'running number of the first product ID', number, 1)
  .option('--faults <name[=n]>', 'add n files (default 1) with a fault; may be repeated', addFault, {})
  .addOption(
    new Option('--style <style>', 'plain: valid against the official schema; varied: mixes writing styles')
      .choices(['plain', 'varied'])
      .default('plain'),
  )
  .option('--out <file>', 'file to write the package to', 'package.zip')
  .addHelpText('after', () => `\n${faultTable()}\n\n${styleTable()}`)
  .showHelpAfterError('(--help shows all options)')
  .allowExcessArguments(false);

const row = (name: string, effect: string, about: string) =>
  `  ${name.padEnd(24)}${effect.padEnd(26)}${about}`;

function faultTable(): string {
  const ofFiles = FILE_FAULT_NAMES.map((name) => {
    const { about, outcome, mentions } = FILE_FAULTS[name];
    return row(name, outcome === 'created' && mentions ? 'created, with a warning' : outcome, about);
  });
  const ofPackages = PACKAGE_FAULT_NAMES.map((name) => {
    const { about, refusal } = PACKAGE_FAULTS[name];
    return row(name, refusal ? 'the package is refused' : 'harmless', about);
  });
  return ['Faults, with the outcome of an import:', ...ofFiles, ...ofPackages].join('\n');
}

function styleTable(): string {
  const rows = STYLE_NAMES.map((name) => {
    const { about, warns } = STYLES[name];
    return row(name, warns ? 'created, with a warning' : 'created', about);
  });
  return ['Writing styles that --style varied mixes:', ...rows].join('\n');
}

/** The generator names its options in errors, and every flag has the name of an option. */
function inTermsOfFlags(message: string): string {
  return message.replace(
    /(?<=^Invalid option )\w+/,
    (option) => `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  );
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
  const { out, ...options } = command.parse().opts<PackageOptions & { out: string }>();
  const generated = generatePackage(options);
  const { bytes } = await generated.writeTo(out);
  announce(summaryOf(generated, out, bytes));
} catch (error) {
  fail(error instanceof RangeError ? inTermsOfFlags(error.message) : error);
}
