/** Webhook messages: signed as the library of Standard Webhooks verifies it, and never sent to forbidden addresses. */
import type { LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createWebhookSender, signedHeaders } from '../../../src/notifications/webhooks/sender.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const MESSAGE = { id: 'msg_1', body: '{"type":"package_import.completed","text":"é"}' };

const receiver = await startWebhookReceiver();
beforeEach(() => {
  Object.assign(receiver, { status: 200, respond: null });
  receiver.messages.length = 0;
});

const sender = createWebhookSender({ userAgent: 'test/1', timeoutMs: 5_000 });

describe('a signature', () => {
  it('is accepted by the library, over the exact body', () => {
    const headers = signedHeaders(MESSAGE, [SECRET]);
    expect(new Webhook(SECRET).verify(MESSAGE.body, headers)).toEqual(JSON.parse(MESSAGE.body));
    expect(() => new Webhook(SECRET).verify(`${MESSAGE.body} `, headers)).toThrow();
    expect(() => new Webhook(OLD_SECRET).verify(MESSAGE.body, headers)).toThrow();
  });

  it('equals that of the library', () => {
    const now = Date.parse('2026-01-31T12:00:00Z');
    expect(signedHeaders(MESSAGE, [SECRET], now)).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(now / 1000),
      'webhook-signature': new Webhook(SECRET).sign('msg_1', new Date(now), MESSAGE.body),
    });
  });

  it('is valid for both secrets during a replacement', () => {
    const headers = signedHeaders(MESSAGE, [SECRET, OLD_SECRET]);
    for (const secret of [SECRET, OLD_SECRET])
      expect(() => new Webhook(secret).verify(MESSAGE.body, headers)).not.toThrow();
  });
});

describe('sending', () => {
  it('posts the signed message, and accepts any 2xx', async () => {
    receiver.status = 204;
    expect(await sender.send(receiver.url, MESSAGE, [SECRET])).toEqual({
      delivered: true,
      status: 204,
      body: '',
      error: null,
      retryAfterSeconds: null,
    });
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.messages;
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'test/1' });
    expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toBeTruthy();
  });

  it('returns the beginning of the body, printable', async () => {
    receiver.respond = (response) => response.writeHead(500).end('no\nroute\u0000 é');
    expect((await sender.send(receiver.url, MESSAGE, [SECRET])).body).toBe('no route\\u{0} é');
  });

  it('waits a second for a slow body, and keeps the part that has arrived', async () => {
    receiver.respond = (response) => {
      response.writeHead(200);
      response.write('begun');
    };
    const before = Date.now();
    const answer = await sender.send(receiver.url, MESSAGE, [SECRET]);
    expect(answer).toMatchObject({ delivered: true, body: 'begun', error: null });
    expect(Date.now() - before).toBeLessThan(4_000);
  });

  it('follows no redirect', async () => {
    receiver.respond = (response) => response.writeHead(302, { location: receiver.url }).end();
    const answer = await sender.send(receiver.url, MESSAGE, [SECRET]);
    expect(answer).toMatchObject({ delivered: false, status: 302 });
    expect(receiver.messages).toHaveLength(1);
  });

  it('returns the pause that a receiver asks for', async () => {
    receiver.respond = (response) => response.writeHead(503, { 'retry-after': '120' }).end();
    expect(await sender.send(receiver.url, MESSAGE, [SECRET])).toMatchObject({
      delivered: false,
      status: 503,
      retryAfterSeconds: 120,
    });
  });

  it('gives up a receiver that does not answer', async () => {
    receiver.respond = () => {};
    const answer = await createWebhookSender({ userAgent: 'test/1', timeoutMs: 200 }).send(
      receiver.url,
      MESSAGE,
      [SECRET],
    );
    expect(answer).toMatchObject({ delivered: false, status: null, error: expect.stringContaining('0.2 s') });
  });

  it('gives up a receiver that changes the protocol', async () => {
    let closed = false;
    receiver.respond = ({ socket }) => {
      socket?.once('close', () => {
        closed = true;
      });
      socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    };
    const answer = await sender.send(receiver.url, MESSAGE, [SECRET]);
    expect(answer).toMatchObject({ delivered: false, error: expect.stringContaining('without an answer') });
    await vi.waitUntil(() => closed);
  });

  it('reads no endless body, and little of a large head', async () => {
    let closed = false;
    receiver.respond = (response) => {
      response.writeHead(200);
      const more = setInterval(() => response.write('x'.repeat(65_536)), 1);
      response.once('close', () => {
        clearInterval(more);
        closed = true;
      });
    };
    const answer = await sender.send(receiver.url, MESSAGE, [SECRET]);
    expect(answer).toMatchObject({ delivered: true, body: 'x'.repeat(1024) });
    await vi.waitUntil(() => closed);
    receiver.respond = (response) => response.writeHead(200, { 'x-large': 'x'.repeat(32 * 1024) }).end();
    expect(await sender.send(receiver.url, MESSAGE, [SECRET])).toMatchObject({
      delivered: false,
      status: null,
    });
  });
});

describe('an address that is not of the internet', () => {
  it.each([
    ['this machine', '127.0.0.1', 4],
    ['a private network', '10.1.2.3', 4],
    ['another', '192.168.0.1', 4],
    ['the metadata of a cloud', '169.254.169.254', 4],
    ['a network of a carrier', '100.64.0.1', 4],
    ['any address of this machine', '0.0.0.0', 4],
    ['several receivers', '224.0.0.1', 4],
    ['this machine, IPv6', '::1', 6],
    ['this machine, as IPv6', '::ffff:127.0.0.1', 6],
    ['a private network, IPv6', 'fd00::1', 6],
    ['a link, IPv6', 'fe80::1', 6],
  ])('is not connected to, whatever its name: %s', async (_what, address, family) => {
    const answering = answerOf([{ address, family }]);
    const refusing = createWebhookSender({ userAgent: 'test/1', lookup: answering.lookup });
    const { port } = new URL(receiver.url);
    const answer = await refusing.send(`http://hooks.company.example:${port}/`, MESSAGE, [SECRET]);
    expect(answer).toMatchObject({
      delivered: false,
      status: null,
      error: expect.stringContaining('private'),
    });
    expect(answering.asked).toBe(1);
    expect(receiver.messages).toEqual([]);
  });

  it('excludes every other address of the name, because look-ups may differ', async () => {
    const both = [
      { address: '203.0.113.7', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    const refusing = createWebhookSender({ userAgent: 'test/1', lookup: answerOf(both).lookup });
    const answer = await refusing.send(`https://hooks.company.example/`, MESSAGE, [SECRET]);
    expect(answer.error).toContain('private');
  });

  it.each(['https://10.0.0.1/', 'https://[fd00::1]/', 'https://169.254.169.254/latest'])(
    'is not connected to when the URL contains it: %s',
    async (url) => {
      expect((await sender.send(url, MESSAGE, [SECRET])).error).toContain('private');
    },
  );
});

/** A name server with the same answer for all names. */
function answerOf(addresses: { address: string; family: number }[]) {
  const server = {
    asked: 0,
    lookup: ((_host, options, done) => {
      server.asked += 1;
      const [first = { address: '', family: 4 }] = addresses;
      if (options.all) done(null, addresses);
      else done(null, first.address, first.family);
    }) as LookupFunction,
  };
  return server;
}
