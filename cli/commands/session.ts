/** `session` and `inserting`: the login of the service with the regulator, and the pause of all inserting. */
import type { Command } from 'commander';
import type { Act } from '../context.ts';
import { inCommands } from '../failure.ts';
import { EXIT, type Outcome, success } from '../outcome.ts';
import { oneLine } from '../screen.ts';

export function addSessionCommands(program: Command, act: Act): void {
  const session = program
    .command('session')
    .description('show, open and end the session of the service with the regulator');
  session
    .command('status')
    .description('show the session; exit code 5 unless it is active')
    .action(
      act(async ({ client }) => {
        const answer = await client.call('getRegulatorSession');
        return shown(answer, answer.data.status === 'active' ? EXIT.ok : EXIT.no);
      }),
    );
  session
    .command('login')
    .description('start a new login; the regulator mails a code')
    .action(act(async ({ client }) => shown(await client.call('postRegulatorSession'))));
  session
    .command('verify')
    .argument('<code>', 'code from the e-mail')
    .description('complete the login with the mailed code')
    .action(
      act(async ({ client }, code: string) =>
        success(await client.call('postRegulatorSessionVerification', { body: { code } })),
      ),
    );
  session
    .command('logout')
    .description('end the session')
    .action(act(async ({ client }) => shown(await client.call('deleteRegulatorSession'))));
}

function shown(answer: { message: string; data: unknown }, exitCode: number = EXIT.ok): Outcome {
  return success(answer, inCommands(answer.message), exitCode);
}

export function addInsertingCommands(program: Command, act: Act): void {
  const inserting = program.command('inserting').description('pause and resume all inserting (operators)');
  inserting
    .command('status')
    .description('show whether inserting is paused; exit code 5 if it is')
    .action(
      act(async ({ client }) => {
        const answer = await client.call('getInserting');
        const { paused, paused_by } = answer.data;
        const by = paused_by === null ? [] : [`Paused by ${oneLine(paused_by)}.`];
        return success(answer, [answer.message, ...by].join('\n'), paused ? EXIT.no : EXIT.ok);
      }),
    );
  inserting
    .command('pause')
    .requiredOption('--reason <text>', 'reason, shown with every waiting run')
    .description('pause inserting: within a second, no worker starts another step')
    .action(
      act(async ({ client }, { reason }: { reason: string }) =>
        success(await client.call('postInsertingPause', { body: { reason } })),
      ),
    );
  inserting
    .command('resume')
    .description('resume inserting')
    .action(act(async ({ client }) => success(await client.call('postInsertingResume'))));
}
