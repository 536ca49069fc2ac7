/** `failures`: failed products over all imports, and one run that retries or cancels many of them. */
import { type Command, Option } from 'commander';
import { pause } from '../../src/common/retrying.ts';
import { count } from '../../src/common/text.ts';
import { FAILURE_CODES } from '../../src/contract/failures.ts';
import { CANCEL_ACTION, type ImportAction, INSERT_PROCESS } from '../../src/contract/statuses.ts';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import type { Failures, FailuresQuery, FailuresRun } from '../../src/contract/types.ts';
import { OUTAGE } from '../client/follow-import.ts';
import type { Act, Context } from '../context.ts';
import { EXIT, type Outcome, success } from '../outcome.ts';
import { tableOf } from '../screen.ts';

interface FailuresOptions {
  since?: string;
  reason?: string[];
  step?: string;
  ofClient?: string;
  submitter?: string;
  yes?: boolean;
}

const LOOK_MS = 1_000;

export function addFailuresCommands(program: Command, act: Act): void {
  const failures = program.command('failures').description('failed products over all imports, in groups');
  const filtered = (name: string, description: string) =>
    failures
      .command(name, { isDefault: name === 'list' })
      .description(description)
      .option('--since <time>', 'only products that failed since this day (UTC) or time')
      .addOption(new Option('--reason <code...>', 'only these reasons').choices(FAILURE_CODES))
      .addOption(new Option('--step <step>', 'only this failed step').choices(INSERT_STEPS))
      .option('--of-client <id>', 'only imports of this client (operators)')
      .option('--submitter <id>', 'only products of this submitter');
  filtered('list', 'count them by reason and step (default)').action(
    act(async ({ client, width }, options: FailuresOptions) => {
      const { message, data } = await client.call('getFailures', { query: queryOf(options) });
      return success({ message, data }, [...groupTable(data, width), message].join('\n'));
    }),
  );
  const runs: [string, ImportAction, string][] = [
    ['retry', INSERT_PROCESS, 'show what a retry of these products would reach; with --yes start it'],
    ['cancel', CANCEL_ACTION, 'the same for the cancellation of their running imports'],
  ];
  for (const [name, action, description] of runs)
    filtered(name, description)
      .option('--yes', 'start the run, and show its progress')
      .action(act((context, options: FailuresOptions) => run(context, action, options)));
  failures
    .command('stop')
    .description('stop the run; products that are queued already are inserted')
    .action(act(stop));
}

function queryOf({ since, reason, step, ofClient, submitter }: FailuresOptions): FailuresQuery {
  const codes = reason ?? (step === undefined ? [] : ['']);
  return {
    failed_since: since,
    client_id: ofClient,
    submitter_id: submitter,
    group: codes.length === 0 ? undefined : codes.map((code) => `${code}:${step ?? ''}`).join(','),
  };
}

function groupTable({ groups }: Failures, width: number | undefined): string[] {
  if (groups.length === 0) return [];
  const rows = groups.map(({ reason_code, step, products, imports, first_failed_at, example, action }) => [
    ...[reason_code, step, products, imports, first_failed_at],
    ...[`${example.product_id} of import ${example.package_import_id}`, action],
  ]);
  return [tableOf(['Reason', 'Step', 'Products', 'Imports', 'Since', 'Example', 'What to do'], rows, width)];
}

/** The service continues the run without this command. */
async function run(context: Context, action: ImportAction, options: FailuresOptions): Promise<Outcome> {
  const { client, progress, width } = context;
  const dry_run = options.yes ? 'false' : 'true';
  const query = { ...queryOf(options), dry_run } as const;
  const { message, data } = await client.call('postFailuresAction', { params: { action }, query });
  if (data.run === null) {
    const isPreview = !options.yes && data.imports > 0;
    const hint = isPreview ? ['This is a preview. To start the run, repeat the command with --yes.'] : [];
    return success({ message, data }, [...groupTable(data, width), message, ...hint].join('\n'));
  }
  progress.note(`${message} Stop it with: package-import failures stop`);
  const retryingClient = client.withRetries(OUTAGE);
  for (;;) {
    const { run } = (await retryingClient.call('getFailuresRun')).data;
    if (run?.status !== 'running') {
      progress.end();
      return runEnd(action, run);
    }
    progress.queuing({ total: run.products, done: Math.min(run.products, run.done_products) });
    await pause(LOOK_MS, client.signal);
  }
}

/** Queued products may fail again after the run. */
function runEnd(action: ImportAction, run: FailuresRun | null): Outcome {
  const done = `${count(run?.done_products ?? 0, 'product')} in ${count(run?.done_imports ?? 0, 'import')}`;
  const [what, result] =
    action === CANCEL_ACTION ? ['Being cancelled', 'is cancelled'] : ['Queued again', 'fails again'];
  const message = `The run is ${run?.status ?? 'unknown'}. ${what}: ${done}.`;
  const text = `${message}\nSee what ${result} with: package-import failures`;
  return success(
    { message, data: { run } },
    text,
    run?.status === 'completed' ? EXIT.ok : EXIT.productsFailed,
  );
}

async function stop({ client }: Context): Promise<Outcome> {
  const { message, data } = await client.call('postFailuresRunStop');
  const { run } = data;
  if (run === null) return success({ message: 'No run is under way.', data });
  if (run.status === 'running' || run.status === 'stopped') return success({ message, data });
  return success({ message: 'No run is under way. The last one has ended.', data });
}
