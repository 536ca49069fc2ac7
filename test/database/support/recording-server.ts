/** A fake PostgreSQL server that records the bytes of a client, before and after TLS. */
import { createServer } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { listenLocally } from '../../support/local-server.ts';

export interface RecordingServer {
  port: number;
  /** The first bytes of each connection, up to TLS. */
  clear: Buffer[];
  /** All bytes inside TLS. */
  inside: Buffer[];
}

/** The message by which a PostgreSQL client requests TLS. */
export const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** @param certificate PEM; without it the server declines TLS */
export async function startRecordingServer(certificate?: {
  cert: string;
  key: string;
}): Promise<RecordingServer> {
  const clear: Buffer[] = [];
  const inside: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      clear.push(bytes);
      if (!bytes.equals(SSL_REQUEST)) return void socket.destroy();
      if (!certificate) {
        socket.on('data', (more) => clear.push(more));
        return void socket.write('N');
      }
      socket.write('S');
      const secure = new TLSSocket(socket, {
        isServer: true,
        secureContext: createSecureContext(certificate),
      });
      secure.on('error', () => {});
      secure.on('data', (more) => {
        inside.push(more);
        secure.destroy();
      });
    });
  });
  return { port: await listenLocally(server), clear, inside };
}
