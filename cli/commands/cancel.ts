/** `cancel`: ends a running import. */
import type { Command } from 'commander';
import { packageImportsOf } from '../client/package-imports.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { importText } from '../import-text.ts';
import { EXIT, type Outcome } from '../outcome.ts';
import { waitForImport } from '../wait.ts';

export function addCancelCommand(program: Command, act: Act): void {
  program
    .command('cancel')
    .argument('<import-id>', 'id of the import', identifier)
    .description('cancel a running import; inserted products stay')
    .option('--wait', 'wait until the import has ended')
    .action(act(cancel));
}

async function cancel(context: Context, id: number, { wait }: { wait?: boolean }): Promise<Outcome> {
  const { message, data } = await packageImportsOf(context.client).cancel(id);
  if (!wait) return { json: { status: 'success', message, data }, text: message, exitCode: EXIT.ok };
  context.progress.note(message);
  const after = await waitForImport(context, id);
  return {
    json: { status: 'success', message, data: after },
    text: importText(after, context.width),
    exitCode: EXIT.ok,
  };
}
