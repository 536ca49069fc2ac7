/** `session`: the service's own login with the regulator. */
import type { Command } from 'commander';
import type { RegulatorSession } from '../../src/contract/types.ts';
import type { Answer } from '../client/api-client.ts';
import type { Act } from '../context.ts';
import { EXIT, type Outcome } from '../outcome.ts';

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
        return { ...outcomeOf(answer), exitCode: answer.data.status === 'active' ? EXIT.ok : EXIT.no };
      }),
    );
  session
    .command('login')
    .description('start a new login; the regulator mails a code')
    .action(
      act(async ({ client }) => {
        const answer = await client.call('postRegulatorSession');
        return outcomeOf(answer, 'Enter the code with: package-import session verify <code>');
      }),
    );
  session
    .command('verify')
    .argument('<code>', 'code from the e-mail')
    .description('complete the login with the mailed code')
    .action(
      act(async ({ client }, code: string) =>
        outcomeOf(await client.call('postRegulatorSessionVerification', { body: { code } })),
      ),
    );
  session
    .command('logout')
    .description('end the session')
    .action(act(async ({ client }) => outcomeOf(await client.call('deleteRegulatorSession'))));
}

function outcomeOf({ message, data }: Answer<RegulatorSession>, hint?: string): Outcome {
  return {
    json: { status: 'success', message, data },
    text: hint === undefined ? message : `${message}\n${hint}`,
    exitCode: EXIT.ok,
  };
}
