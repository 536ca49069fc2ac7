/** `inserting`: pauses and resumes all inserting, for operators. */
import type { Command } from 'commander';
import type { Inserting } from '../../src/contract/types.ts';
import type { Answer } from '../client/api-client.ts';
import type { Act } from '../context.ts';
import { EXIT, type Outcome } from '../outcome.ts';

export function addInsertingCommands(program: Command, act: Act): void {
  const inserting = program.command('inserting').description('pause all inserting, and let it go on');
  inserting
    .command('status')
    .description('whether it goes on; exit code 5 while it is paused')
    .action(
      act(async ({ client }) => {
        const answer = await client.call('getInserting');
        return { ...outcomeOf(answer), exitCode: answer.data.paused ? EXIT.no : EXIT.ok };
      }),
    );
  inserting
    .command('pause')
    .requiredOption('--reason <text>', 'why; everybody who waits sees it')
    .description('begin no further step, in any worker, within a second')
    .action(
      act(async ({ client }, { reason }: { reason: string }) =>
        outcomeOf(await client.call('postInsertingPause', { body: { reason } })),
      ),
    );
  inserting
    .command('resume')
    .description('go on')
    .action(act(async ({ client }) => outcomeOf(await client.call('postInsertingResume'))));
}

function outcomeOf({ message, data }: Answer<Inserting>): Outcome {
  return { json: { status: 'success', message, data }, text: message, exitCode: EXIT.ok };
}
