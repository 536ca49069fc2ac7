/** `status`: the list of imports, or the current state of one. */
import type { Command } from 'commander';
import { packageImportsOf } from '../client/package-imports.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { exitCodeOf, importText } from '../import-text.ts';
import { type Outcome, UsageError } from '../outcome.ts';
import { waitForImport } from '../wait.ts';
import { LISTED, list, listLength } from './list.ts';

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
    return list(context, { limit: options.limit });
  }
  // Read first, so that the command does not wait for an import that does not exist.
  const { message, data } = await packageImportsOf(context.client).report(id);
  const report = options.wait ? await waitForImport(context, id) : data;
  return {
    json: { status: 'success', message, data: report },
    text: importText(report, context.width),
    exitCode: exitCodeOf(report),
  };
}
