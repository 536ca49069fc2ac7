/** The options that every command has: which service, as whom. */
import { type Command, InvalidArgumentError, Option } from 'commander';

export interface Connection {
  gateway: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope?: string;
  audience?: string;
}

export interface GlobalOptions extends Connection {
  json?: boolean;
  verbose?: boolean;
}

/** The defaults suit `npm start` on the same machine. */
export function addGlobalOptions(program: Command): void {
  const options = [
    new Option('--gateway <url>', 'base URL of the gateway')
      .env('PACKAGE_IMPORT_URL')
      .default('http://127.0.0.1:8080')
      .argParser(httpUrl),
    new Option('--token-url <url>', 'token endpoint of the identity service')
      .env('PACKAGE_IMPORT_TOKEN_URL')
      .default('http://127.0.0.1:8081/oauth2/token')
      .argParser(httpUrl),
    new Option('--client-id <id>', 'OAuth2 client').env('PACKAGE_IMPORT_CLIENT_ID').default('demo-client'),
    new Option('--client-secret <secret>', 'its secret; the variable keeps it out of the process list')
      .env('PACKAGE_IMPORT_CLIENT_SECRET')
      .default('demo-secret'),
    new Option('--scope <scope>', 'scope to ask for, if the identity service needs one').env(
      'PACKAGE_IMPORT_SCOPE',
    ),
    new Option('--audience <audience>', 'audience to ask for, if the identity service needs one').env(
      'PACKAGE_IMPORT_AUDIENCE',
    ),
    new Option('--json', 'print one JSON document instead of text'),
    new Option('--verbose', 'say more on the way'),
  ];
  for (const option of options) program.addOption(option);
}

function httpUrl(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new InvalidArgumentError('It must be a URL with http:// or https://.');
  return text;
}

/** Identifiers of imports and submissions. */
export function identifier(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('It must be a number such as 7.');
  return Number(text);
}
