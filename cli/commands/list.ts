/** `list`: imports, newest first, with filters. `status`: the current state of one import, or the list. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { GREATEST_PAGE } from '../../src/contract/limits.ts';
import { IMPORT_STATUSES } from '../../src/contract/statuses.ts';
import type { ImportSummary } from '../../src/contract/types.ts';
import type { ImportQuery } from '../client/options.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { exitCodeOf, importText } from '../import-text.ts';
import { type Outcome, success, UsageError } from '../outcome.ts';
import { importListText } from '../summary-text.ts';
import { waitForImport } from '../wait.ts';

export const LISTED = 20;

/** One option for each parameter of the gateway's list. */
const FILTERS: Readonly<Record<keyof Required<ImportQuery>, Option>> = {
  status: new Option('--status <status>', 'only imports with this status').choices(IMPORT_STATUSES),
  file_name: new Option('--file-name <text>', 'only imports whose file name contains this text'),
  comment: new Option('--comment <text>', 'only imports whose comment contains this text'),
  from: new Option('--from <day>', 'only uploads since this day (YYYY-MM-DD, UTC) or time'),
  to: new Option('--to <day>', 'only uploads until the end of this day, or before this time'),
  has_failures: new Option('--has-failures', 'only imports with failures'),
  client_id: new Option('--of-client <id>', 'only imports of this client (operators)'),
  limit: new Option('--limit <n>', 'number of imports').default(LISTED).argParser(listLength),
  before: new Option('--before <import-id>', 'only imports older than this one (next page)').argParser(
    identifier,
  ),
};

export function addListCommand(program: Command, act: Act): void {
  const command = program.command('list').description('list imports, newest first');
  for (const filter of Object.values(FILTERS)) command.addOption(filter);
  command.action(act((context, options: Record<string, unknown>) => list(context, queryOf(options))));
}

function queryOf(options: Readonly<Record<string, unknown>>): ImportQuery {
  const parameters = Object.entries(FILTERS).map(([parameter, filter]) => [
    parameter,
    options[filter.attributeName()],
  ]);
  return Object.fromEntries(parameters);
}

async function list(context: Context, query: ImportQuery, again?: string): Promise<Outcome> {
  const { message, data } = await context.imports.list(query);
  const { imports } = data;
  const text =
    imports.length === 0
      ? nothingListed(query)
      : importListText(imports, await failingOf(context, query, imports), context.width);
  return success({ message, data }, pageText(text, data.next_before, again));
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

/** A list, with the command that shows its next page. */
export function pageText(
  list: string,
  next_before: number | string | null,
  again = 'the same command with',
): string {
  return next_before === null ? list : `${list}\nNext page: ${again} --before ${next_before}`;
}

export function listLength(text: string): number {
  const length = /^\d+$/.test(text) ? Number(text) : 0;
  if (length < 1 || length > GREATEST_PAGE)
    throw new InvalidArgumentError(`It must be a number from 1 to ${GREATEST_PAGE}.`);
  return length;
}

interface StatusOptions {
  wait?: boolean;
  limit: number;
}

export function addStatusCommand(program: Command, act: Act): void {
  program
    .command('status')
    .argument('[import-id]', 'id of an import (default: the latest imports)', identifier)
    .description('show an import, or list the latest imports')
    .option('--wait', 'wait until the import has ended')
    .option('--limit <n>', 'number of imports', listLength, LISTED)
    .action(act(status));
}

async function status(context: Context, id: number | undefined, options: StatusOptions): Promise<Outcome> {
  if (id === undefined) {
    if (options.wait)
      throw new UsageError('--wait requires an import: package-import status <import-id> --wait');
    return list(context, { limit: options.limit }, `package-import list --limit ${options.limit}`);
  }
  // Read first, so that the command does not wait for an import that does not exist.
  const { message, data } = await context.imports.report(id);
  const report = options.wait ? await waitForImport(context, id) : data;
  return success({ message, data: report }, importText(report, context.width), exitCodeOf(report));
}
