/** `list`: imports, newest first, with filters. `status`: the current state of one import. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { GREATEST_PAGE } from '../../src/contract/limits.ts';
import { IMPORT_STATUSES, type ImportStatus } from '../../src/contract/statuses.ts';
import type { ImportSummary } from '../../src/contract/types.ts';
import type { ImportQuery } from '../client/options.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { exitCodeOf, importText } from '../import-text.ts';
import { type Outcome, success } from '../outcome.ts';
import { importListText } from '../summary-text.ts';
import { waitForImport } from '../wait.ts';

export const LISTED = 20;

interface ListOptions {
  status?: ImportStatus;
  fileName?: string;
  comment?: string;
  from?: string;
  to?: string;
  hasFailures?: true;
  ofClient?: string;
  limit: number;
  before?: number;
}

export function addListCommand(program: Command, act: Act): void {
  program
    .command('list')
    .description('list imports, newest first')
    .addOption(new Option('--status <status>', 'only imports with this status').choices(IMPORT_STATUSES))
    .option('--file-name <text>', 'only imports whose file name contains this text')
    .option('--comment <text>', 'only imports whose comment contains this text')
    .option('--from <day>', 'only uploads since this day (YYYY-MM-DD, UTC) or time')
    .option('--to <day>', 'only uploads until the end of this day, or before this time')
    .option('--has-failures', 'only imports with failures')
    .option('--of-client <id>', 'only imports of this client (operators)')
    .option('--limit <n>', 'number of imports', listLength, LISTED)
    .option('--before <import-id>', 'only imports older than this one (next page)', identifier)
    .action(act(list));
}

async function list(
  context: Context,
  { fileName: file_name, hasFailures: has_failures, ofClient: client_id, ...others }: ListOptions,
): Promise<Outcome> {
  const query: ImportQuery = { file_name, has_failures, client_id, ...others };
  const { message, data } = await context.imports.list(query);
  const { imports } = data;
  const text =
    imports.length === 0
      ? nothingListed(query)
      : importListText(imports, await failingOf(context, query, imports), context.width);
  return success({ message, data }, pageText(text, data.next_before));
}

function nothingListed({ limit: _, ...filters }: ImportQuery): string {
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return isFiltered ? 'No import matches these filters.' : 'There are no imports yet.';
}

/** Imports with failures of any kind. The same page with this filter contains all those of the list. */
async function failingOf(
  { imports, options }: Context,
  query: ImportQuery,
  listed: readonly ImportSummary[],
): Promise<ReadonlySet<number>> {
  const isAsked = query.has_failures === undefined && !options.json;
  const found = isAsked ? (await imports.list({ ...query, has_failures: true })).data.imports : listed;
  return new Set(found.map(({ id }) => id));
}

/** A list, with the option that shows its next page. */
export function pageText(list: string, next_before: number | string | null): string {
  return next_before === null
    ? list
    : `${list}\nFor the next page, repeat the command with --before ${next_before}.`;
}

export function listLength(text: string): number {
  const length = /^\d+$/.test(text) ? Number(text) : 0;
  if (length < 1 || length > GREATEST_PAGE)
    throw new InvalidArgumentError(`It must be a number from 1 to ${GREATEST_PAGE}.`);
  return length;
}

export function addStatusCommand(program: Command, act: Act): void {
  program
    .command('status')
    .argument('<import-id>', 'id of the import', identifier)
    .description('show the result of every product and file of an import')
    .option('--wait', 'wait until the import has ended')
    .action(act(status));
}

async function status(context: Context, id: number, { wait }: { wait?: true }): Promise<Outcome> {
  // Read first, so that the command does not wait for an import that does not exist.
  const { message, data } = await context.imports.report(id);
  const report = wait ? await waitForImport(context, id) : data;
  return success({ message, data: report }, importText(report, context.width), exitCodeOf(report));
}
