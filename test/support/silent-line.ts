/** A connection to a server that can fall silent: it forwards no more bytes and signals nothing. */
import { connect, createServer } from 'node:net';
import { listenLocally } from './local-server.ts';

export interface SilentLine {
  /** The given URL, through this proxy. */
  url: string;
  /** Silences the current connections. New connections work. */
  fallSilent(): void;
  /** Silences new connections as well, until `restore`. */
  fallSilentForAll(): void;
  restore(): void;
  /** Number of connections that their client has closed. */
  givenUp(): number;
}

export async function startSilentLine(target: string): Promise<SilentLine> {
  const to = new URL(target);
  const lines = new Set<{ silent: boolean }>();
  let allSilent = false;
  let givenUp = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname);
    const line = { silent: allSilent };
    lines.add(line);
    const end = () => {
      lines.delete(line);
      client.destroy();
      upstream.destroy();
    };
    client.on('data', (bytes) => line.silent || upstream.write(bytes));
    upstream.on('data', (bytes) => line.silent || client.write(bytes));
    client.on('error', () => {});
    client.on('close', () => {
      if (line.silent) givenUp += 1;
      end();
    });
    upstream.on('error', end).on('close', () => line.silent || end());
  });
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(await listenLocally(server));
  const fallSilent = () => {
    for (const line of lines) line.silent = true;
  };
  return {
    url: url.href,
    fallSilent,
    fallSilentForAll() {
      allSilent = true;
      fallSilent();
    },
    restore() {
      allSilent = false;
    },
    givenUp: () => givenUp,
  };
}
