/** `login`, `logout`, `profiles`: connections that are stored on this machine. `token`: an access token for curl. */
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { addAbortSignal, Writable } from 'node:stream';
import type { Command } from 'commander';
import { createAccessTokens } from '../client/access-tokens.ts';
import { type Connection, clearTextWarnings, demoSecret, tokenOptionsOf } from '../connection.ts';
import type { Act, LocalContext } from '../context.ts';
import { EXIT, Interrupted, type Outcome, success, UsageError } from '../outcome.ts';
import { DEFAULT_PROFILE, type Profile } from '../profiles.ts';
import { type Input, type Output, tableOf } from '../screen.ts';

export function addLoginCommands(program: Command, act: Act): void {
  program
    .command('login')
    .description('store a connection on this machine; the secret comes from the keyboard or a pipe')
    .action(act.locally(login));
  program
    .command('logout')
    .description('remove a stored connection and its secret')
    .action(act.locally(logout));
  program.command('profiles').description('list the stored connections').action(act.locally(profiles));
}

/** Stores nothing that the identity service refuses. */
async function login(context: LocalContext): Promise<Outcome> {
  const { options, profiles, progress, signal } = context;
  const { profile: name = DEFAULT_PROFILE } = options;
  for (const warning of clearTextWarnings(options)) progress.note(warning);
  const connection = await withSecret(context);
  await createAccessTokens(await tokenOptionsOf(connection), signal).current();
  const { clientSecret = null } = connection;
  await profiles.save(name, profileOf(connection), usesKey(connection) ? null : clientSecret);
  const message = `Profile "${name}" is stored: client "${connection.clientId}" at ${connection.gateway}.`;
  return success({ message, data: { profile: name, directory: profiles.directory } });
}

function usesKey({ authMethod, clientSecret, keyFile }: Connection): boolean {
  return authMethod === 'private_key_jwt' || (keyFile !== undefined && clientSecret === undefined);
}

async function withSecret(context: LocalContext): Promise<Connection> {
  const { options } = context;
  if (usesKey(options) || options.clientSecret !== undefined) return options;
  return { ...options, clientSecret: await readSecret(context) };
}

function profileOf(connection: Connection): Profile {
  const { gateway, tokenUrl, clientId, issuer, scope, audience, keyFile } = connection;
  const stored = { gateway, tokenUrl, clientId, issuer, scope, audience };
  if (!usesKey(connection)) return { ...stored, authMethod: connection.authMethod ?? 'client_secret_post' };
  return { ...stored, authMethod: 'private_key_jwt', keyFile: keyFile && resolve(keyFile) };
}

async function logout({ options, profiles }: LocalContext): Promise<Outcome> {
  const { profile: name = DEFAULT_PROFILE } = options;
  if (!(await profiles.remove(name))) throw new UsageError(`There is no profile "${name}".`);
  return success({ message: `Profile "${name}" and its secret are removed.`, data: { profile: name } });
}

async function profiles({ profiles, width }: LocalContext): Promise<Outcome> {
  const stored = Object.entries(await profiles.list());
  const rows = stored.map(([name, { gateway, clientId, authMethod }]) => [
    ...[name, clientId, authMethod, gateway],
  ]);
  const text =
    rows.length > 0
      ? tableOf(['Profile', 'Client', 'Authentication', 'Gateway'], rows, width)
      : 'There are no profiles. Create one with: package-import login';
  return { json: { status: 'success', data: Object.fromEntries(stored) }, text, exitCode: EXIT.ok };
}

/** Maximum characters that are read from a pipe. */
const LONGEST = 64 * 1024;

/**
 * Reads a secret without showing it, and without storing it in the process list or the shell's history. Asks
 * nothing for the demo client, whose secret is known.
 *
 * @throws UsageError when there is none, Interrupted by Ctrl-C
 */
async function readSecret({ options, screen: { stdin, stderr }, signal }: LocalContext): Promise<string> {
  const piped = stdin && !stdin.isTTY ? await firstLine(stdin, signal) : '';
  if (piped !== '') return piped;
  const question = `Secret of client "${options.clientId}": `;
  const secret = demoSecret(options) ?? (stdin?.isTTY ? await ask(question, stdin, stderr, signal) : '');
  if (secret === '')
    throw new UsageError('There is no secret. Type it, pipe it in, or set PACKAGE_IMPORT_CLIENT_SECRET.');
  return secret;
}

/** Readline, not the terminal, echoes the keys. Its output is discarded. */
async function ask(question: string, input: Input, output: Output, signal: AbortSignal): Promise<string> {
  output.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      lines.once('SIGINT', () => reject(new Interrupted('SIGINT')));
      lines.once('close', () => resolve(''));
      lines.once('line', resolve);
    });
  } finally {
    lines.close();
    output.write('\n');
  }
}

async function firstLine(input: Input, signal: AbortSignal): Promise<string> {
  let text = '';
  try {
    for await (const chunk of addAbortSignal(signal, input)) {
      text += chunk;
      if (text.includes('\n') || text.length > LONGEST) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  return text.split(/\r?\n/, 1)[0] ?? '';
}

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
