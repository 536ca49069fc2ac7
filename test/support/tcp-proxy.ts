/** A TCP proxy between two parts. It forwards bytes until it is told to cut, silence or refuse connections. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { atEnd } from './cleanup.ts';

export interface TcpProxy {
  port: number;
  /** Resets every connection; new ones work. Returns how many there were. */
  cut(): number;
  /** Forwards nothing in either direction and resets nothing, like a network that drops packets. */
  silence(): void;
  /** Forwards nothing on the present connections, ever, and resets none; new ones work. */
  forget(): void;
  /** Number of forgotten connections that their client has closed. */
  givenUp(): number;
  /** Resets every connection, including new ones. */
  refuse(): void;
  /** Forwards everything again, including the waiting bytes. */
  restore(): void;
  stop(): Promise<void>;
}

interface Pair {
  client: Socket;
  upstream: Socket;
  isForgotten: boolean;
}

type State = 'passing' | 'silent' | 'refusing';

const HOST = '127.0.0.1';

/** The URL of a server, through a proxy in front of it. */
export function urlThrough({ port }: Pick<TcpProxy, 'port'>, url: string): string {
  return Object.assign(new URL(url), { hostname: HOST, port }).href;
}

/** @param targets ports that get connections in turn; a port without a listener is skipped */
export async function startTcpProxy(targets: readonly number[]): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  const waiting = new Set<Socket>();
  let state: State = 'passing';
  let turn = 0;
  let givenUp = 0;

  function join({ client, upstream, isForgotten }: Pair): void {
    if (isForgotten) return;
    client.pipe(upstream);
    upstream.pipe(client);
  }

  function part({ client, upstream }: Pair): void {
    for (const socket of [client, upstream]) socket.unpipe().pause();
  }

  function reset({ client, upstream }: Pair): void {
    for (const socket of [client, upstream]) if (!socket.destroyed) socket.resetAndDestroy();
  }

  async function passOn(client: Socket): Promise<void> {
    const upstream = await firstToAnswer();
    if (upstream === null || client.destroyed) {
      upstream?.destroy();
      client.resetAndDestroy();
      return;
    }
    const pair = { client, upstream, isForgotten: false };
    pairs.add(pair);
    for (const socket of [client, upstream]) {
      socket.on('error', () => {});
      socket.on('close', (hadError) => {
        if (pair.isForgotten && socket === upstream) return;
        if (pair.isForgotten && pairs.has(pair)) givenUp += 1;
        pairs.delete(pair);
        if (hadError) reset(pair);
        else for (const other of [client, upstream]) other.destroySoon();
      });
    }
    if (state === 'passing') join(pair);
  }

  async function firstToAnswer(): Promise<Socket | null> {
    turn += 1;
    for (let tried = 0; tried < targets.length; tried += 1) {
      const socket = await connected(targets[(turn + tried) % targets.length] ?? 0);
      if (socket !== null) return socket;
    }
    return null;
  }

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    client.on('error', () => {});
    if (state === 'refusing') client.resetAndDestroy();
    else if (state === 'silent') waiting.add(client);
    else void passOn(client);
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));

  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    cut() {
      const cut = pairs.size;
      for (const pair of [...pairs]) {
        pairs.delete(pair);
        reset(pair);
      }
      for (const client of waiting) client.resetAndDestroy();
      waiting.clear();
      return cut;
    },
    silence() {
      state = 'silent';
      for (const pair of pairs) part(pair);
    },
    forget() {
      for (const pair of pairs) {
        pair.isForgotten = true;
        // What arrives is read and dropped, so that the end of the client is seen.
        for (const socket of [pair.client, pair.upstream]) socket.unpipe().resume();
        pair.client.once('end', () => pair.client.destroy());
      }
    },
    givenUp: () => givenUp,
    refuse() {
      state = 'refusing';
      proxy.cut();
    },
    restore() {
      if (state === 'passing') return;
      state = 'passing';
      for (const pair of pairs) join(pair);
      for (const client of waiting) void passOn(client);
      waiting.clear();
    },
    stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      proxy.refuse();
      return closed;
    },
  };
  atEnd(proxy.stop);
  return proxy;
}

/** Null if the port has no listener. */
function connected(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: HOST, allowHalfOpen: true });
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(null));
  });
}
