/** A TCP connection under control of the test: it sends any bytes at any time, and records every received byte. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { atEnd } from './cleanup.ts';
import { eventually } from './eventually.ts';

export class Connection {
  /** Everything received so far. */
  received = '';
  /** The server has closed its side. */
  ended = false;
  /** The connection is over. */
  closed = false;
  /** The error of the connection, such as a reset. */
  error: NodeJS.ErrnoException | null = null;
  readonly socket: Socket;

  private constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text: string) => {
      this.received += text;
    });
    this.socket.on('end', () => {
      this.ended = true;
    });
    this.socket.on('close', () => {
      this.closed = true;
    });
    this.socket.on('error', (error) => {
      this.error = error;
    });
  }

  /** @throws Error when no server accepts it */
  static async open(port: number): Promise<Connection> {
    const connection = new Connection(port);
    atEnd(() => connection.destroy());
    await once(connection.socket, 'connect');
    return connection;
  }

  /** Resolves when the system has taken the bytes. It never resolves while the server does not read them. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.socket.write(bytes, () => resolve());
    });
  }

  /** Waits until the received text matches. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(async () => pattern.exec(this.received));
  }

  /** Waits for the first answer that is not 1xx. */
  async status(): Promise<number> {
    return Number((await this.until(/HTTP\/1\.1 ([2-5]\d\d) /))[1]);
  }

  async untilEnded(): Promise<void> {
    await eventually(async () => this.ended || this.closed);
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Closes by a reset, like a process that was killed with unread data. */
  reset(): void {
    this.socket.resetAndDestroy();
  }
}
