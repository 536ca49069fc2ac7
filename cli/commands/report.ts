/** `report`: the whole record of an import, as text, JSON or CSV. */
import type { Command } from 'commander';
import { packageImportsOf } from '../client/package-imports.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { exitCodeOf, importText } from '../import-text.ts';
import { EXIT, type Outcome, UsageError } from '../outcome.ts';
import { saveFile } from '../save-file.ts';

interface ReportOptions {
  csv?: boolean;
  files?: boolean;
  output?: string;
}

export function addReportCommand(program: Command, act: Act): void {
  program
    .command('report')
    .argument('<import-id>', 'the import', identifier)
    .description('what became of every product and file; with --csv for a spreadsheet')
    .option('--csv', 'its products as CSV, to stdout')
    .option('--files', 'with --csv: the files that failed, were skipped or cannot be read')
    .option('-o, --output <file.csv>', 'where to write the CSV')
    .action(act(report));
}

async function report(context: Context, id: number, options: ReportOptions): Promise<Outcome> {
  if (options.csv) return writeCsv(context, id, options);
  if (options.output !== undefined) throw new UsageError('--output goes with --csv.');
  if (options.files) throw new UsageError('--files goes with --csv.');
  const { message, data } = await packageImportsOf(context.client).report(id);
  const text = importText(data, context.width);
  return { json: { status: 'success', message, data }, text, exitCode: exitCodeOf(data) };
}

/** The exit code tells whether the table was written, whatever its content. */
async function writeCsv(
  { client, screen, options }: Context,
  id: number,
  { files, output }: ReportOptions,
): Promise<Outcome> {
  if (options.json) throw new UsageError('Either --csv or --json.');
  const csv = await packageImportsOf(client).csv(id, files ? 'files' : 'products');
  if (output !== undefined) {
    await saveFile(csv, output, client.signal);
  } else {
    for await (const part of csv) screen.stdout.write(part);
  }
  const text = output === undefined ? '' : `${output} is written.`;
  return { json: {}, text, exitCode: EXIT.ok };
}
