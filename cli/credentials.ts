/** Reads a client's credentials, and warns before they are sent in clear text. */
import { readFile } from 'node:fs/promises';
import { isLoopback } from '../src/common/loopback.ts';
import type { ClientCredentials } from './client/client-credentials.ts';
import type { Connection } from './connection.ts';
import { UsageError } from './outcome.ts';

/** @throws UsageError when the key file cannot be read */
export async function credentialsOf({
  clientId,
  authMethod,
  clientSecret,
  keyFile,
}: Connection): Promise<ClientCredentials> {
  const privateKey = keyFile === undefined ? undefined : await readKey(keyFile);
  return { clientId, authMethod, clientSecret, privateKey };
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
