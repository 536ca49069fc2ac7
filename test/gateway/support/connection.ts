/** A connection in the hands of the test: sends what it likes, when it likes, and sees every byte that comes back. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '../../support/eventually.ts';

export class Connection {
  /** Everything received so far. */
  received = '';
  /** The server has closed its side. */
  ended = false;
  /** The connection is over. */
  closed = false;
  /** A reset, for example. */
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

  /** @throws when nobody accepts it */
  static async open(port: number): Promise<Connection> {
    const connection = new Connection(port);
    await once(connection.socket, 'connect');
    return connection;
  }

  /** Resolves when the bytes are on their way, which they never are when the server does not read them. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.socket.write(bytes, () => resolve());
    });
  }

  /** Waits until the server has said something. */
  async until(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray> {
    return eventually(async () => pattern.exec(this.received), timeoutMs);
  }

  /** Waits for the first answer that is not 1xx. */
  async status(timeoutMs?: number): Promise<number> {
    return Number((await this.until(/HTTP\/1\.1 ([2-5]\d\d) /, timeoutMs))[1]);
  }

  async untilEnded(timeoutMs?: number): Promise<void> {
    await eventually(async () => this.ended || this.closed, timeoutMs);
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Disappears like a process that was killed with data unread: by a reset. */
  reset(): void {
    this.socket.resetAndDestroy();
  }
}
