/** Quotas of clients and of the process at the gateway alone (decision §quotas, decision §room-for-packages). */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ArchiveStorage } from '../../src/archive/storage.ts';
import type { ClientSlots } from '../../src/database/coordination/client-slots.ts';
import { StorageFull } from '../../src/domain/errors.ts';
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { requireDescribed } from '../support/api-contract.ts';
import { eventually } from '../support/eventually.ts';
import { type BareGateway, type BareGatewayOptions, startBareGateway } from './support/bare-gateway.ts';
import { Connection } from './support/connection.ts';
import { rateOf, slotsOf } from './support/quotas.ts';
import { BOUNDARY, fieldPart, head, IMPORT_PATH, multipartBody, uploadHeaders } from './support/requests.ts';

const MB = 1024 * 1024;

interface Changes {
  quotas?: Partial<GatewayDependencies['quotas']>;
  limits?: Partial<GatewayDependencies['limits']>;
  storage?: Partial<ArchiveStorage>;
}

async function gatewayWith(
  { quotas, limits, storage }: Changes,
  options: BareGatewayOptions = {},
): Promise<BareGateway> {
  const gateway = await startBareGateway({
    ...options,
    change: (dependencies) => ({
      ...dependencies,
      quotas: { ...dependencies.quotas, ...quotas },
      limits: { ...dependencies.limits, ...limits },
      storage: { ...dependencies.storage, ...storage },
      database: {
        ...dependencies.database,
        idempotency: {
          knows: async () => false,
        } as unknown as GatewayDependencies['database']['idempotency'],
      },
    }),
  });
  onTestFinished(() => gateway.stop());
  return gateway;
}

/** Begins an upload and sends a part of its body. */
async function begin(gateway: BareGateway, token = gateway.token): Promise<Connection> {
  const connection = await Connection.open(gateway.port);
  onTestFinished(() => connection.destroy());
  const body = multipartBody(100_000);
  await connection.send(head(uploadHeaders(token, body.length)));
  await connection.send(body.subarray(0, 50_000));
  return connection;
}

async function underWay(gateway: BareGateway, uploads: number): Promise<void> {
  await eventually(async () => (await gateway.files()).length === uploads);
}

async function send(gateway: BareGateway, after = '', token = gateway.token, fileBytes = 1_000) {
  const response = await fetch(gateway.url + IMPORT_PATH, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    },
    body: new Uint8Array(multipartBody(fileBytes, { after })),
  });
  const body = (await response.json()) as { message: string; data: { code: string } };
  const type = response.headers.get('content-type') ?? '';
  await requireDescribed(gateway.url, 'POST', IMPORT_PATH, response.status, type, body);
  return {
    status: response.status,
    code: body.data.code,
    message: body.message,
    retryAfter: Number(response.headers.get('retry-after')),
    limit: response.headers.get('ratelimit'),
    policy: response.headers.get('ratelimit-policy'),
  };
}

/** The answer that a client gets before it sends a byte of 1 MB, or of its announced length. */
async function refusedBeforeBody(
  gateway: BareGateway,
  token = gateway.token,
  announced = MB,
): Promise<number> {
  const connection = await Connection.open(gateway.port);
  onTestFinished(() => connection.destroy());
  await connection.send(head({ ...uploadHeaders(token, announced), Expect: '100-continue' }));
  await connection.until(/HTTP\/1\.1 /);
  return connection.received.includes('100 Continue') ? 100 : await connection.status();
}

describe('uploads of one client at the same time', () => {
  it('beyond the quota: 429 before the body; another client is served; the place is given back', async () => {
    const gateway = await gatewayWith({ quotas: { uploads: slotsOf(2) } });
    const running = [await begin(gateway), await begin(gateway)];
    await underWay(gateway, 2);
    expect(await send(gateway)).toMatchObject({
      status: 429,
      code: 'too_many_requests',
      retryAfter: 5,
      policy: '"uploads";q=2;qu="concurrent-requests"',
      limit: '"uploads";r=0;t=5',
    });
    expect(await refusedBeforeBody(gateway)).toBe(429);
    const other = await gateway.tokens.sign({ client_id: 'other' });
    expect(await send(gateway, '', other)).toMatchObject({ status: 200 });
    running[0]?.destroy();
    await eventually(async () => (await send(gateway)).status === 200);
  });

  it('counts until the answer, not only while the body comes', async () => {
    const gateway = await gatewayWith({ quotas: { uploads: slotsOf(1) } });
    let goOn = () => {};
    gateway.processing.run = () =>
      new Promise((resolve) => {
        goOn = resolve;
      });
    const first = send(gateway);
    await eventually(async () => gateway.imports.length === 1);
    expect(await send(gateway)).toMatchObject({ status: 429 });
    goOn();
    expect(await first).toMatchObject({ status: 200 });
  });

  it('counts dry runs, too, and gives their place back when they fail', async () => {
    const gateway = await gatewayWith({ quotas: { uploads: slotsOf(1) } });
    let fail = (_: Error) => {};
    gateway.processing.run = () =>
      new Promise((_resolve, reject) => {
        fail = reject;
      });
    const first = send(gateway, fieldPart('dry_run', 'true'));
    await eventually(async () => (await gateway.files()).some((path) => path.endsWith('.zip')));
    for (const form of ['', fieldPart('dry_run', 'true')])
      expect(await send(gateway, form)).toMatchObject({ status: 429, code: 'too_many_requests' });
    fail(new Error('enough'));
    expect((await first).status).toBe(500);
    expect(await gateway.files()).toEqual([]);
    gateway.processing.run = async () => {};
    expect(await send(gateway)).toMatchObject({ status: 200 });
  });
});

describe('what the form asks for', () => {
  it('mails: 429 for a client that has had its summaries, and none is counted where nobody gets one', async () => {
    const gateway = await gatewayWith({
      quotas: { mails: rateOf(1, { kind: 'mails', windowSeconds: 3600 }) },
    });
    const email = fieldPart('email', 'a@company.example');
    expect(await send(gateway)).toMatchObject({ status: 200 });
    expect(await send(gateway, email)).toMatchObject({ status: 200 });
    expect(await send(gateway, email)).toMatchObject({ status: 429, policy: '"mails";q=1;w=3600' });
    expect(await send(gateway)).toMatchObject({ status: 200 });
    expect(gateway.imports).toHaveLength(3);
    expect(await gateway.files()).toHaveLength(3);
  });

  it('mails: each of several recipients counts, in one part or in several', async () => {
    const gateway = await gatewayWith({
      quotas: { mails: rateOf(5, { kind: 'mails', windowSeconds: 3600 }) },
    });
    const list = fieldPart('email', 'a@company.example, b@company.example,a@company.example');
    expect(await send(gateway, list)).toMatchObject({ status: 200 });
    const parts = fieldPart('email', 'c@company.example') + fieldPart('email', 'd@company.example');
    expect(await send(gateway, parts)).toMatchObject({ status: 200 });
    expect(await send(gateway, list)).toMatchObject({ status: 429 });
    expect(gateway.imports.map(({ notificationEmail }) => notificationEmail)).toEqual([
      'a@company.example, b@company.example',
      'c@company.example, d@company.example',
    ]);
  });

  it.each([
    ['person@company.example', 200],
    ['person@company.example, person@elsewhere.example', 400],
    ['person@Company.Example', 200],
    ['person@sub.company.example', 400],
    ['person@elsewhere.example', 400],
  ])('a summary to %s: %i', async (address, status) => {
    const gateway = await gatewayWith({ quotas: { recipientDomains: ['company.example'] } });
    expect(await send(gateway, fieldPart('email', address))).toMatchObject({ status });
    expect(gateway.imports).toHaveLength(status === 200 ? 1 : 0);
    expect(await gateway.files()).toHaveLength(status === 200 ? 1 : 0);
  });
});

describe('a process', () => {
  it('that receives as many uploads as it may: 503 before the body, to whomever', async () => {
    const gateway = await gatewayWith({}, { uploadsAtOnce: 2 });
    const other = await gateway.tokens.sign({ client_id: 'other' });
    const running = [await begin(gateway), await begin(gateway)];
    await underWay(gateway, 2);
    expect(await refusedBeforeBody(gateway, other)).toBe(503);
    expect(await send(gateway)).toMatchObject({ status: 503, code: 'overloaded', retryAfter: 5 });
    running[0]?.destroy();
    await eventually(async () => (await send(gateway)).status === 200);
  });

  it('keeps a quarter of its places for clients that have none, however many uploads one client may have', async () => {
    const gateway = await gatewayWith({}, { uploadsAtOnce: 4 });
    const running = [await begin(gateway), await begin(gateway), await begin(gateway)];
    await underWay(gateway, 3);
    expect(await refusedBeforeBody(gateway)).toBe(503);
    const other = await gateway.tokens.sign({ client_id: 'other' });
    expect(await send(gateway, '', other)).toMatchObject({ status: 200 });
    running[0]?.destroy();
    await eventually(async () => (await send(gateway)).status === 200);
  });

  it('is not full of uploads of a client that may not have so many', async () => {
    // The database answers slowly.
    let tell = () => {};
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    let asked = 0;
    const uploads: ClientSlots = {
      limit: 1,
      async take(clientId) {
        if (clientId === 'other') return async () => {};
        asked += 1;
        await told;
        return null;
      },
    };
    const gateway = await gatewayWith({ quotas: { uploads } }, { uploadsAtOnce: 2 });
    const flood = [send(gateway), send(gateway)];
    await eventually(async () => asked === 2);
    const other = await gateway.tokens.sign({ client_id: 'other' });
    expect(await send(gateway, '', other)).toMatchObject({ status: 200 });
    tell();
    for (const { status } of await Promise.all(flood)) expect(status).toBe(429);
  });

  it('counts an upload while it is received, and not while its package is read', async () => {
    const gateway = await gatewayWith({}, { uploadsAtOnce: 1 });
    let goOn = () => {};
    gateway.processing.run = () =>
      new Promise((resolve) => {
        goOn = resolve;
      });
    const first = send(gateway);
    await eventually(async () => gateway.imports.length === 1);
    gateway.processing.run = async () => {};
    expect(await send(gateway)).toMatchObject({ status: 200 });
    goOn();
    expect(await first).toMatchObject({ status: 200 });
  });
});

describe('connections of a process', () => {
  const HEALTH = 'GET /health/live HTTP/1.1\r\nHost: gateway\r\n\r\n';

  it('beyond the limit get 503 with the envelope; a place that becomes free is for the next', async () => {
    const gateway = await gatewayWith({}, { maxConnections: 4 });
    const open = () => Connection.open(gateway.port);
    const first = await Promise.all([open(), open(), open(), open()]);
    const surplus = await open();
    for (const connection of [...first, surplus]) await connection.send(HEALTH);
    for (const connection of first) expect(await connection.status()).toBe(200);
    expect(await surplus.status()).toBe(503);
    const [, body = ''] = await surplus.until(/\r\n\r\n(\{.*\})$/s);
    expect(JSON.parse(body)).toMatchObject({ status: 'error', data: { code: 'overloaded' } });
    expect(surplus.received).toMatch(/^Retry-After: 5/im);
    await surplus.untilEnded();
    surplus.destroy();
    first[0]?.destroy();
    await eventually(async () => {
      const next = await open();
      await next.send(HEALTH);
      const status = await next.status();
      next.destroy();
      return status === 200;
    });
    for (const connection of first) connection.destroy();
  });

  it('far beyond it are closed at once', async () => {
    const gateway = await gatewayWith({}, { maxConnections: 4 });
    const connections = await Promise.all(Array.from({ length: 20 }, () => Connection.open(gateway.port)));
    await eventually(async () => connections.filter(({ closed, ended }) => closed || ended).length >= 15);
    for (const connection of connections) connection.destroy();
    await eventually(
      async () => (await fetch(`${gateway.url}/health/live`).catch(() => null))?.status === 200,
    );
  });
});

describe('an upload that is too slow', () => {
  const uploadFloor = { bytesPerSecond: 1_000, windowMs: 500 };

  it('ends with 408 after the first window, and leaves nothing', async () => {
    const gateway = await gatewayWith({ limits: { uploadFloor } });
    const connection = await Connection.open(gateway.port);
    onTestFinished(() => connection.destroy());
    await connection.send(head(uploadHeaders(gateway.token, 100_000)));
    await connection.send(multipartBody(100_000).subarray(0, 300));
    const dripping = setInterval(() => void connection.send('x'), 50);
    onTestFinished(() => clearInterval(dripping));
    expect(await connection.status()).toBe(408);
    await connection.until(/less than 1000 bytes per second arrived for 0.5 s/);
    expect(await gateway.files()).toEqual([]);
  });

  it('is not one that brings just enough', async () => {
    const gateway = await gatewayWith({ limits: { uploadFloor } });
    const body = multipartBody(4_000);
    const connection = await Connection.open(gateway.port);
    onTestFinished(() => connection.destroy());
    await connection.send(head(uploadHeaders(gateway.token, body.length)));
    for (let at = 0; at < body.length; at += 400) {
      await connection.send(body.subarray(at, at + 400));
      await sleep(150);
    }
    expect(await connection.status()).toBe(200);
  });

  it('is not one that the storage holds up', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const gateway = await startBareGateway({
      change: (dependencies) => ({
        ...dependencies,
        limits: { ...dependencies.limits, uploadFloor },
        storage: {
          ...dependencies.storage,
          put: async (key, source) => {
            await held;
            return dependencies.storage.put(key, source);
          },
        },
      }),
    });
    onTestFinished(() => gateway.stop());
    const connection = await Connection.open(gateway.port);
    onTestFinished(() => connection.destroy());
    const body = multipartBody(3 * MB);
    await connection.send(head(uploadHeaders(gateway.token, body.length)));
    const sent = connection.send(body);
    await sleep(1_800);
    release();
    await sent;
    expect(await connection.status()).toBe(200);
  });
});

describe('a storage', () => {
  it('with less room than has to stay free: 503 before the body', async () => {
    const free = { bytes: 3 * MB };
    const gateway = await gatewayWith({
      limits: { minFreeBytes: 2 * MB },
      storage: { freeBytes: async () => free.bytes },
    });
    expect(await refusedBeforeBody(gateway, gateway.token, MB / 2)).toBe(100);
    expect(await refusedBeforeBody(gateway, gateway.token, 2 * MB)).toBe(503);
    free.bytes = 2 * MB - 1;
    expect(await send(gateway)).toMatchObject({ status: 503, code: 'storage_full', retryAfter: 60 });
    free.bytes = 3 * MB;
    expect(await send(gateway)).toMatchObject({ status: 200 });
  });

  it.each([500, MB])(
    'that fills up after %i bytes of an upload: 503, and nothing stays behind',
    async (fills) => {
      const gateway = await gatewayWith({
        storage: {
          async put(_key, source) {
            let bytes = 0;
            for await (const chunk of source) {
              bytes += chunk.length;
              if (bytes > fills) throw new StorageFull();
            }
            throw new Error('too little was sent');
          },
        },
      });
      expect(await send(gateway, '', gateway.token, 3 * MB)).toMatchObject({
        status: 503,
        code: 'storage_full',
        retryAfter: 60,
      });
      expect(gateway.imports).toEqual([]);
      expect(await gateway.files()).toEqual([]);
    },
  );
});
