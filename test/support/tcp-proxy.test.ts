import { createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Connection } from './connection.ts';
import { eventually } from './eventually.ts';
import { startTcpProxy } from './tcp-proxy.ts';

/** Answers every message with its own name and the message. */
async function startEcho(name: string): Promise<{ port: number; stop(): Promise<unknown> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (text) => socket.write(`${name}:${text}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(async () => void (await stop()));
  return { port: typeof address === 'object' && address ? address.port : 0, stop };
}

async function startProxy(...targets: number[]) {
  const proxy = await startTcpProxy(targets);
  onTestFinished(() => proxy.stop());
  return { proxy, open: () => Connection.open(proxy.port) };
}

it('forwards to its targets in turn, and skips a missing one', async () => {
  const [a, b] = [await startEcho('a'), await startEcho('b')];
  const { open } = await startProxy(a.port, b.port);
  const seen = new Set<string>();
  for (let n = 0; n < 2; n += 1) {
    const connection = await open();
    await connection.send('x');
    seen.add((await connection.until(/[ab]:x/))[0]);
  }
  expect([...seen].sort()).toEqual(['a:x', 'b:x']);
  await a.stop();
  for (let n = 0; n < 2; n += 1) {
    const connection = await open();
    await connection.send('y');
    expect((await connection.until(/[ab]:y/))[0]).toBe('b:y');
  }
});

it('cuts existing connections, and accepts new ones', async () => {
  const { proxy, open } = await startProxy((await startEcho('a')).port);
  const connection = await open();
  await connection.send('x');
  await connection.until(/a:x/);
  expect(proxy.cut()).toBe(1);
  await eventually(async () => connection.closed);
  const next = await open();
  await next.send('y');
  await next.until(/a:y/);
});

it('forwards nothing while it is silent, and everything afterwards', async () => {
  const { proxy, open } = await startProxy((await startEcho('a')).port);
  const before = await open();
  await before.send('1');
  await before.until(/a:1/);
  proxy.silence();
  const meanwhile = await open();
  await Promise.all([before.send('2'), meanwhile.send('3')]);
  const other = await startProxy((await startEcho('b')).port);
  const probe = await other.open();
  await probe.send('x');
  await probe.until(/b:x/); // A proxy that is not silent would have answered by now.
  expect([before.received, meanwhile.received]).toEqual(['a:1', '']);
  proxy.restore();
  await before.until(/a:2/);
  await meanwhile.until(/a:3/);
});

it('forgets present connections for ever, and counts those that are given up', async () => {
  const { proxy, open } = await startProxy((await startEcho('a')).port);
  const before = await open();
  await before.send('1');
  await before.until(/a:1/);
  proxy.forget();
  await before.send('2');
  const next = await open();
  await next.send('3');
  await next.until(/a:3/);
  proxy.silence();
  proxy.restore();
  await next.send('4');
  await next.until(/a:4/);
  expect([before.received, before.closed, proxy.givenUp()]).toEqual(['a:1', false, 0]);
  before.destroy();
  await eventually(async () => proxy.givenUp() === 1);
});

it('refuses connections until it is restored', async () => {
  const { proxy, open } = await startProxy((await startEcho('a')).port);
  proxy.refuse();
  // The reset may arrive before the client knows that it is connected.
  const refused = await open().catch(() => null);
  await eventually(async () => refused === null || refused.closed);
  expect(refused?.received ?? '').toBe('');
  proxy.restore();
  const connection = await open();
  await connection.send('x');
  await connection.until(/a:x/);
});
