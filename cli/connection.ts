/** The options of every command: the service and the client's credentials. */
import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isLoopback } from '../src/common/network.ts';
import { idIn } from '../src/contract/limits.ts';
import { AUTH_METHODS, type AuthMethod, type TokenOptions } from './client/options.ts';
import { UsageError } from './outcome.ts';
import { DEFAULT_PROFILE, type Profile, type ProfileStore } from './profiles.ts';

export interface Connection {
  gateway: string;
  tokenUrl: string;
  issuer?: string;
  clientId: string;
  authMethod?: AuthMethod;
  clientSecret?: string;
  keyFile?: string;
  scope?: string;
  audience?: string;
}

export interface GlobalOptions extends Connection {
  profile?: string;
  json?: boolean;
}

/** Credentials for the embedded identity service. Real ones know no such client. */
const DEMO = { clientId: 'demo-client', clientSecret: 'demo-secret' };

/** Adds options whose defaults suit `npm start` on the same machine. */
export function addGlobalOptions(program: Command): void {
  const options = [
    new Option('--profile <name>', 'connection stored by `login`')
      .env('PACKAGE_IMPORT_PROFILE')
      .argParser(profileName),
    new Option('--gateway <url>', 'base URL of the gateway')
      .env('PACKAGE_IMPORT_URL')
      .default('http://127.0.0.1:8080')
      .argParser(httpUrl),
    new Option('--token-url <url>', 'token endpoint of the identity service')
      .env('PACKAGE_IMPORT_TOKEN_URL')
      .default('http://127.0.0.1:8081/oauth2/token')
      .argParser(httpUrl),
    new Option('--client-id <id>', 'id of the OAuth 2.0 client')
      .env('PACKAGE_IMPORT_CLIENT_ID')
      .default(DEMO.clientId),
    new Option('--auth-method <method>', 'authentication of the client (default: by its secret or key)')
      .env('PACKAGE_IMPORT_AUTH_METHOD')
      .choices(AUTH_METHODS),
    new Option(
      '--client-secret <secret>',
      'secret of the client; prefer the variable, which the process list does not show',
    ).env('PACKAGE_IMPORT_CLIENT_SECRET'),
    new Option('--key-file <file>', 'private key of the client for private_key_jwt, PEM or JSON Web Key').env(
      'PACKAGE_IMPORT_KEY_FILE',
    ),
    new Option('--issuer <url>', 'audience of private_key_jwt, if it is not the token endpoint').env(
      'PACKAGE_IMPORT_ISSUER',
    ),
    new Option('--scope <scope>', 'scope to request, if the identity service requires one').env(
      'PACKAGE_IMPORT_SCOPE',
    ),
    new Option('--audience <audience>', 'audience to request, if the identity service requires one').env(
      'PACKAGE_IMPORT_AUDIENCE',
    ),
    new Option('--json', 'print one JSON document instead of text'),
  ];
  for (const option of options) program.addOption(option);
}

/**
 * Options override variables, variables override the profile, the profile overrides the defaults.
 *
 * @throws UsageError when the requested profile is not stored
 */
export async function resolveConnection(program: Command, store: ProfileStore): Promise<GlobalOptions> {
  const { profile: asked } = program.opts<GlobalOptions>();
  const stored = await store.list();
  const name = asked ?? DEFAULT_PROFILE;
  const profile = Object.hasOwn(stored, name) ? stored[name] : undefined;
  if (asked !== undefined && !profile) throw new UsageError(unknownProfile(asked, Object.keys(stored)));
  for (const [option, value] of Object.entries(profile ?? {})) {
    const isOpen = [undefined, 'default'].includes(program.getOptionValueSource(option));
    if (isOpen) program.setOptionValueWithSource(option, value, 'config');
  }
  const options = program.opts<GlobalOptions>();
  if (options.clientSecret !== undefined || options.keyFile !== undefined) return options;
  const clientSecret =
    profile && belongs(profile, options) ? await store.secretOf(name) : demoSecret(options);
  return clientSecret === undefined ? options : { ...options, clientSecret };
}

/** A stored secret is used only for the client and the identity service with which it was stored. */
function belongs(profile: Profile, { clientId, tokenUrl }: Connection): boolean {
  return profile.clientId === clientId && profile.tokenUrl === tokenUrl;
}

export function demoSecret({ clientId }: Connection): string | undefined {
  return clientId === DEMO.clientId ? DEMO.clientSecret : undefined;
}

function unknownProfile(name: string, known: readonly string[]): string {
  const others = known.length > 0 ? ` Stored profiles: ${[...known].sort().join(', ')}.` : '';
  return `There is no profile "${name}".${others} Create it with: package-import login --profile ${name}`;
}

function profileName(text: string): string {
  if (!/^[a-z\d][\w.-]{0,63}$/i.test(text))
    throw new InvalidArgumentError(
      'It must have 1 to 64 letters, digits, dots, dashes and underscores, and begin with a letter or digit.',
    );
  return text;
}

function httpUrl(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new InvalidArgumentError('It must be a URL with http:// or https://.');
  return text;
}

/** Parses identifiers of records. */
export function identifier(text: string): number {
  const id = idIn(text);
  if (id !== null) return id;
  throw new InvalidArgumentError('It must be a positive whole number.');
}

/** @throws UsageError when the key file cannot be read */
export async function tokenOptionsOf({ keyFile, ...connection }: Connection): Promise<TokenOptions> {
  return keyFile === undefined ? connection : { ...connection, privateKey: await readKey(keyFile) };
}

async function readKey(keyFile: string): Promise<string> {
  return readFile(keyFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`The private key ${keyFile} cannot be read: ${error.code ?? error.message}.`);
  });
}

/** One line for each address to which secrets would be sent in clear text. */
export function clearTextWarnings({ gateway, tokenUrl, clientId }: Connection): string[] {
  const warning = (url: string, what: string) =>
    `Warning: ${what} is sent to ${new URL(url).host} over plain http, and others on the network can read it. Use https.`;
  return [
    ...(isClear(tokenUrl) ? [warning(tokenUrl, `the authentication of client "${clientId}"`)] : []),
    ...(isClear(gateway) ? [warning(gateway, 'the access token')] : []),
  ];
}

function isClear(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}
