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
    .argument('<import-id>', 'id of the import', identifier)
    .description('show the result of every product and file')
    .option('--csv', 'write the products as CSV to stdout')
    .option('--files', 'with --csv: the failed, skipped and unreadable files instead of the products')
    .option('-o, --output <file.csv>', 'with --csv: file to write instead of stdout')
    .action(act(report));
}

async function report(context: Context, id: number, options: ReportOptions): Promise<Outcome> {
  if (options.csv) return writeCsv(context, id, options);
  if (options.output !== undefined) throw new UsageError('--output requires --csv.');
  if (options.files) throw new UsageError('--files requires --csv.');
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
  if (options.json) throw new UsageError('--csv and --json cannot be combined.');
  const csv = await packageImportsOf(client).csv(id, files ? 'files' : 'products');
  if (output !== undefined) {
    await saveFile(csv, output, client.signal);
  } else {
    for await (const part of csv) screen.stdout.write(part);
  }
  const text = output === undefined ? '' : `${output} is written.`;
  return { json: {}, text, exitCode: EXIT.ok };
}
