/** `inserting`: pauses and resumes all inserting, for operators. */
import type { Command } from 'commander';
import type { Inserting } from '../../src/contract/types.ts';
import type { Answer } from '../client/api-client.ts';
import type { Act } from '../context.ts';
import { EXIT, type Outcome } from '../outcome.ts';

export function addInsertingCommands(program: Command, act: Act): void {
  const inserting = program.command('inserting').description('pause and resume all inserting (operators)');
  inserting
    .command('status')
    .description('show whether inserting is paused; exit code 5 if it is')
    .action(
      act(async ({ client }) => {
        const answer = await client.call('getInserting');
        return { ...outcomeOf(answer), exitCode: answer.data.paused ? EXIT.no : EXIT.ok };
      }),
    );
  inserting
    .command('pause')
    .requiredOption('--reason <text>', 'reason, shown to everybody who waits')
    .description('pause inserting: within a second, no worker starts another step')
    .action(
      act(async ({ client }, { reason }: { reason: string }) =>
        outcomeOf(await client.call('postInsertingPause', { body: { reason } })),
      ),
    );
  inserting
    .command('resume')
    .description('resume inserting')
    .action(act(async ({ client }) => outcomeOf(await client.call('postInsertingResume'))));
}

function outcomeOf({ message, data }: Answer<Inserting>): Outcome {
  return { json: { status: 'success', message, data }, text: message, exitCode: EXIT.ok };
}
