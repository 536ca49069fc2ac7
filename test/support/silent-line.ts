/** A connection to a server that can fall silent: it forwards no more bytes and signals nothing. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

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
  close(): void;
}

export async function startSilentLine(target: string): Promise<SilentLine> {
  const to = new URL(target);
  const lines = new Set<{ silent: boolean; sockets: Socket[] }>();
  let allSilent = false;
  let givenUp = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname);
    const line = { silent: allSilent, sockets: [client, upstream] };
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
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
    close() {
      for (const { sockets } of lines) for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
