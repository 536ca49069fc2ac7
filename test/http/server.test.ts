/**
 * Connections as strangers use them: many requests at once, answers that nobody reads, and probes (decision
 * §connections-are-bounded).
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import Koa from 'koa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cachedChecks } from '../../src/http/health.ts';
import { listen, type RunningServer } from '../../src/http/server.ts';
import { endSlowClients, SlowClient } from '../../src/http/slow-clients.ts';
import { Connection } from '../support/connection.ts';
import { eventually } from '../support/eventually.ts';
import { head, uploadHeaders } from '../support/multipart.ts';

const MB = 1024 * 1024;
const WINDOW_MS = 400;

interface Started {
  running: RunningServer;
  /** Errors that the application received. */
  errors: Error[];
}

async function start(serve: Koa.Middleware, slowClientMs = 60_000): Promise<Started> {
  const app = new Koa();
  const errors: Error[] = [];
  app.on('error', (error) => errors.push(error));
  app.use(serve);
  const running = await listen(app, { host: '127.0.0.1', port: 0, slowClientMs });
  onTestFinished(() => running.close(0));
  return { running, errors };
}

async function connect({ port }: RunningServer): Promise<Connection> {
  const connection = await Connection.open(port);
  onTestFinished(() => connection.destroy());
  return connection;
}

/** Connects, and gives the server's end, too. */
async function connectBoth(running: RunningServer): Promise<[Connection, Socket]> {
  const accepted = once(running.server, 'connection') as Promise<[Socket]>;
  const connection = await connect(running);
  return [connection, (await accepted)[0]];
}

const get = (path: string) => head({}, { method: 'GET', path });
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const bodies = ({ received }: Connection) =>
  [...received.matchAll(/\r\n\r\n(\/\d+)/g)].map(([, path]) => path);

it('requests of a connection are processed one at a time, and answered in their order', async () => {
  let open = 0;
  let most = 0;
  const { running } = await start(async (ctx) => {
    open += 1;
    most = Math.max(most, open);
    // The later ones would be ready before.
    for (let turns = 300 - Number(ctx.path.slice(1)); turns > 0; turns -= 1) await null;
    ctx.body = ctx.path;
    open -= 1;
  });
  const connection = await connect(running);
  // One is processed, and 64 wait.
  const paths = numbers(0, 65).map((n) => `/${n}`);
  await connection.send(paths.map(get).join(''));
  await eventually(async () => bodies(connection).length === paths.length);
  expect(bodies(connection)).toEqual(paths);
  expect(most).toBe(1);
  expect(connection.ended).toBe(false);
});

it('nothing more is read while a request waits', async () => {
  const first = Promise.withResolvers<void>();
  const { running } = await start(async (ctx) => {
    if (ctx.path === '/0') await first.promise;
    if (ctx.method === 'POST') for await (const _ of ctx.req);
    ctx.body = ctx.path;
  });
  const [connection, served] = await connectBoth(running);
  await connection.send(get('/0') + get('/1'));
  await eventually(async () => served.bytesRead > 0);
  const before = served.bytesRead;
  const size = 64 * MB;
  const upload = head({ 'Content-Length': size }, { path: '/2' });
  const sent = connection.send(Buffer.concat([Buffer.from(upload), Buffer.alloc(size)]));
  const other = await connect(running);
  for (let n = 10; n < 30; n += 1) {
    await other.send(get(`/${n}`));
    await eventually(async () => bodies(other).includes(`/${n}`));
  }
  expect(served.bytesRead).toBe(before);
  first.resolve();
  await sent;
  await eventually(async () => bodies(connection).length === 3);
  expect(bodies(connection)).toEqual(['/0', '/1', '/2']);
});

it('a connection with too many waiting requests is closed', async () => {
  const served: string[] = [];
  const held = Promise.withResolvers<void>();
  const { running } = await start(async (ctx) => {
    served.push(ctx.path);
    await held.promise;
  });
  const connection = await connect(running);
  await connection.send(
    numbers(0, 66)
      .map((n) => get(`/${n}`))
      .join(''),
  );
  await connection.untilEnded();
  expect(served).toEqual(['/0']);
  // A stopping server waits for it.
  held.resolve();
});

it('waiting requests are not started when the server stops', async () => {
  const first = Promise.withResolvers<void>();
  const served: string[] = [];
  const { running } = await start(async (ctx) => {
    served.push(ctx.path);
    await first.promise;
    ctx.body = ctx.path;
  });
  const connection = await connect(running);
  await connection.send(get('/0') + get('/1') + get('/2'));
  await eventually(async () => served.length === 1);
  const closed = running.close(60_000);
  first.resolve();
  await closed;
  await connection.untilEnded();
  expect(bodies(connection)).toEqual(['/0']);
  expect(served).toEqual(['/0']);
});

const LARGE = Buffer.alloc(32 * MB, 'x');
const ANSWERS: Record<string, () => unknown> = {
  'one buffer': () => LARGE,
  JSON: () => ({ text: LARGE.toString('latin1') }),
  'a stream': () => Readable.from(Array.from({ length: 512 }, () => LARGE.subarray(0, 64 * 1024))),
};

it.each(Object.entries(ANSWERS))(
  'a connection whose client does not read its answer is closed: %s',
  async (_kind, answer) => {
    const { running, errors } = await start(async (ctx) => {
      ctx.body = answer();
    }, WINDOW_MS);
    const [connection, served] = await connectBoth(running);
    connection.socket.pause();
    await connection.send(get('/0'));
    await eventually(async () => served.destroyed);
    expect(errors).toContainEqual(expect.any(SlowClient));
    connection.socket.resume();
    await connection.untilEnded();
    expect(connection.received.length).toBeLessThan(LARGE.length);
  },
);

it('such a connection is closed although the client sends more', async () => {
  const { running } = await start(async (ctx) => {
    ctx.body = LARGE;
  }, WINDOW_MS);
  const [connection, served] = await connectBoth(running);
  connection.socket.pause();
  await connection.send(`${get('/0')}GET /1 HTTP/1.1\r\nX: `);
  const trickle = setInterval(() => connection.socket.write('x'), WINDOW_MS / 20);
  onTestFinished(() => clearInterval(trickle));
  await eventually(async () => served.destroyed);
});

it('a write that stays incomplete is slow, also if the operating system has accepted all of its bytes', async () => {
  const unread = new Writable({ write() {} });
  const handle = { bytesWritten: 6, writeQueueSize: 0 };
  const socket = Object.assign(unread, { _handle: handle }) as unknown as Socket;
  const closed = once(socket, 'error');
  unread.write('answer');
  onTestFinished(endSlowClients(new Set([socket]), WINDOW_MS));
  expect(await closed).toEqual([expect.any(SlowClient)]);
});

it('a slow reader and a client that waits for the server are kept', async () => {
  const late = Promise.withResolvers<void>();
  const { running, errors } = await start(async (ctx) => {
    if (ctx.path === '/late') await late.promise;
    ctx.body = ctx.path === '/late' ? '/1' : LARGE;
  }, WINDOW_MS);
  const waiting = await connect(running);
  await waiting.send(get('/late'));
  const slow = await connect(running);
  const started = performance.now();
  // By the megabyte: a machine that is busy looks at the connection as often as it hands over 64 KB.
  let read = 0;
  slow.socket.on('data', (text: string) => {
    read += text.length;
    if (read < MB) return;
    read = 0;
    slow.socket.pause();
    void pause(WINDOW_MS / 8).then(() => slow.socket.resume());
  });
  await slow.send(get('/0'));
  await eventually(async () => slow.received.length > LARGE.length);
  expect(performance.now() - started).toBeGreaterThan(3 * WINDOW_MS);
  late.resolve();
  await eventually(async () => bodies(waiting).length === 1);
  expect(errors).toEqual([]);
});

describe('a stopping server', () => {
  /** Answers an upload after its body, and no other request before `release`. */
  async function startSlow() {
    const held = Promise.withResolvers<void>();
    let begun = 0;
    const { running } = await start(async (ctx) => {
      begun += 1;
      if (ctx.method === 'GET') await held.promise;
      for await (const _ of ctx.req);
      ctx.body = 'done';
    });
    const [upload, other] = [await connect(running), await connect(running)];
    await upload.send(`${head(uploadHeaders(null, 2))}a`);
    await other.send(get('/'));
    await eventually(async () => begun === 2);
    return { running, upload, other, release: held.resolve };
  }

  it('waits for uploads after it has ended other requests', async () => {
    const { running, upload, other, release } = await startSlow();
    const closed = running.close(100, 60_000);
    await other.untilEnded();
    release();
    await upload.send('b');
    expect(await upload.status()).toBe(200);
    await closed;
  });

  it('ends uploads after their time', async () => {
    const { running, upload, other, release } = await startSlow();
    const closed = running.close(100, 200);
    await other.untilEnded();
    await upload.untilEnded();
    release();
    await closed;
    expect(upload.received).toBe('');
  });
});

describe('readiness', () => {
  function asked(outcome: () => Promise<void>) {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const told: [string, string | null][] = [];
    const state = { calls: 0 };
    const ask = cachedChecks(
      {
        database: () => {
          state.calls += 1;
          return outcome();
        },
      },
      {
        warn: ({ check, reason }: { check: string; reason: string }) => told.push([check, reason]),
        info: ({ check }: { check: string }) => told.push([check, null]),
      },
    );
    return { ask, told, state };
  }

  it('a thousand concurrent probes cause one check, and so do all within a second', async () => {
    const { ask, state } = asked(async () => {});
    await Promise.all(Array.from({ length: 1_000 }, ask));
    vi.advanceTimersByTime(999);
    expect(await ask()).toEqual({ ok: true, checks: { database: 'ok' } });
    expect(state.calls).toBe(1);
    vi.advanceTimersByTime(1);
    await ask();
    expect(state.calls).toBe(2);
  });

  it('a failure is reported without its reason, which is logged once', async () => {
    let reason: string | null = 'connect ECONNREFUSED 10.1.2.3:5432';
    const { ask, told } = asked(async () => {
      if (reason !== null) throw new Error(reason);
    });
    for (let second = 0; second < 3; second += 1) {
      expect(await ask()).toEqual({ ok: false, checks: { database: 'failed' } });
      vi.advanceTimersByTime(1_000);
    }
    reason = null;
    expect((await ask()).ok).toBe(true);
    expect(told).toEqual([
      ['database', 'connect ECONNREFUSED 10.1.2.3:5432'],
      ['database', null],
    ]);
  });
});
