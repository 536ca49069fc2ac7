/** `token`: an access token for other programs. */
import type { Command } from 'commander';
import type { Act } from '../context.ts';

export function addTokenCommand(program: Command, act: Act): void {
  program
    .command('token')
    .description('print an access token, for curl')
    .action(
      act(async ({ client }) => {
        const token = await client.accessToken();
        return { json: { status: 'success', access_token: token }, text: token, ok: true };
      }),
    );
}
