/** `token`: an access token for other programs. */
import type { Command } from 'commander';
import type { Act } from '../context.ts';
import { EXIT } from '../outcome.ts';

export function addTokenCommand(program: Command, act: Act): void {
  program
    .command('token')
    .description('print an access token, e.g. for curl')
    .action(
      act(async ({ client }) => {
        const token = await client.accessToken();
        return { json: { status: 'success', access_token: token }, text: token, exitCode: EXIT.ok };
      }),
    );
}
