/** Quotas of clients and of the process at the gateway alone (decision §quotas, decision §room-for-packages). */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ArchiveStorage } from '../../src/archive/storage.ts';
import type { ClientSlots } from '../../src/database/coordination/client-limits.ts';
import { RegulatorUnavailable, StorageFull } from '../../src/domain/client-errors.ts';
import type { SessionState } from '../../src/domain/regulator.ts';
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { requireDescribed } from '../support/api-contract.ts';
import { Connection } from '../support/connection.ts';
import { rateOf, slotsOf } from '../support/counted-quotas.ts';
import { eventually } from '../support/eventually.ts';
import { fieldPart, head, IMPORT_PATH, multipartBody, uploadHeaders } from '../support/multipart.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../support/starters/gateway.ts';

const MB = 1024 * 1024;
const KNOWN_KEY = 'known';

interface Changes {
  quotas?: Partial<GatewayDependencies['quotas']>;
  limits?: Partial<GatewayDependencies['limits']>;
  storage?: Partial<ArchiveStorage>;
  defaultRecipient?: string;
}

async function gatewayWith(
  { quotas, limits, storage, defaultRecipient }: Changes,
  options: GatewayOptions = {},
): Promise<Gateway> {
  return startGateway({
    ...options,
    limits,
    change: (dependencies) => ({
      defaultRecipient: defaultRecipient ?? dependencies.defaultRecipient,
      quotas: { ...dependencies.quotas, ...quotas },
      storage: { ...dependencies.storage, ...storage },
      database: {
        ...dependencies.database,
        idempotency: {
          knows: async (_tenant: string, key: string) => key === KNOWN_KEY,
        } as unknown as GatewayDependencies['database']['idempotency'],
      },
    }),
  });
}

/** Begins an upload and sends a part of its body. */
async function begin(gateway: Gateway, token = gateway.token): Promise<Connection> {
  const connection = await Connection.open(gateway.port);
  const body = multipartBody(100_000);
  await connection.send(head(uploadHeaders(token, body.length)));
  await connection.send(body.subarray(0, 50_000));
  return connection;
}

async function underWay(gateway: Gateway, uploads: number): Promise<void> {
  await eventually(async () => (await gateway.files()).length === uploads);
}

async function send(gateway: Gateway, after = '', token = gateway.token, fileBytes = 1_000) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await gateway.upload(multipartBody(fileBytes, { after }), { headers });
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

interface Announcement {
  token?: string;
  announced?: number | 'chunked';
  query?: string;
  key?: string;
}

/** The status that a client gets before it sends a byte: 100 if the upload is accepted. */
async function firstAnswer(
  gateway: Gateway,
  { token = gateway.token, announced = MB, query = '', key }: Announcement = {},
): Promise<number> {
  const connection = await Connection.open(gateway.port);
  const headers = {
    ...uploadHeaders(token, announced),
    Expect: '100-continue',
    'Idempotency-Key': key,
  };
  await connection.send(head(headers, { path: IMPORT_PATH + query }));
  await connection.until(/HTTP\/1\.1 /);
  const status = connection.received.includes('100 Continue') ? 100 : await connection.status();
  connection.destroy();
  return status;
}

describe('uploads of one client at the same time', () => {
  it('above the quota: 429 before the body; other clients are served; the place is released', async () => {
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
    expect(await firstAnswer(gateway)).toBe(429);
    const other = await gateway.tokens.sign({ client_id: 'other' });
    expect(await send(gateway, '', other)).toMatchObject({ status: 200 });
    running[0]?.destroy();
    await eventually(async () => (await send(gateway)).status === 200);
  });

  it('count until the answer, not only during the body', async () => {
    const gateway = await gatewayWith({ quotas: { uploads: slotsOf(1) } });
    const processing = gateway.holdProcessing();
    const first = send(gateway);
    await processing.begun;
    expect(await send(gateway)).toMatchObject({ status: 429 });
    processing.end();
    expect(await first).toMatchObject({ status: 200 });
  });

  it('include dry runs, which release their place when they fail', async () => {
    const gateway = await gatewayWith({ quotas: { uploads: slotsOf(1) } });
    const processing = gateway.holdProcessing();
    const first = send(gateway, fieldPart('dry_run', 'true'));
    await processing.begun;
    for (const form of ['', fieldPart('dry_run', 'true')])
      expect(await send(gateway, form)).toMatchObject({ status: 429, code: 'too_many_requests' });
    processing.fail(new Error('enough'));
    expect((await first).status).toBe(500);
    expect(await gateway.files()).toEqual([]);
    gateway.processing.run = async () => {};
    expect(await send(gateway)).toMatchObject({ status: 200 });
  });
});

describe('the files of a client', () => {
  const files = (points: number) => rateOf(points, { kind: 'files', windowSeconds: 86_400 });

  it('are refused before the body, once those of the day are used up; other clients are served', async () => {
    const gateway = await gatewayWith({ quotas: { files: files(2) } });
    expect([(await send(gateway)).status, (await send(gateway)).status]).toEqual([200, 200]);
    expect(await firstAnswer(gateway)).toBe(429);
    expect(await send(gateway)).toMatchObject({
      status: 429,
      code: 'too_many_requests',
      message: 'The quota of 2 files per day of this client is used up. Try again later.',
      policy: '"files";q=2;w=86400',
    });
    const other = await gateway.tokens.sign({ client_id: 'other' });
    expect(await send(gateway, '', other)).toMatchObject({ status: 200 });
  });

  it('do not count in a dry run, which records nothing', async () => {
    const rate = files(1);
    const gateway = await gatewayWith({ quotas: { files: rate } });
    const response = await gateway.upload(multipartBody(1_000), { query: '?dry_run=true' });
    await response.arrayBuffer();
    expect(rate.taken).toBe(0);
    expect(await send(gateway)).toMatchObject({ status: 200 });
  });
});

describe('the quota of summaries', () => {
  const mails = (points: number) => rateOf(points, { kind: 'mails', windowSeconds: 3600 });

  it('refuses with 429, and counts only summaries with a recipient', async () => {
    const gateway = await gatewayWith({ quotas: { mails: mails(1) } });
    const email = fieldPart('email', 'a@company.example');
    expect(await send(gateway)).toMatchObject({ status: 200 });
    expect(await send(gateway, email)).toMatchObject({ status: 200 });
    expect(await send(gateway, email)).toMatchObject({ status: 429, policy: '"mails";q=1;w=3600' });
    expect(await send(gateway)).toMatchObject({ status: 200 });
    expect(gateway.imports).toHaveLength(3);
    expect(await gateway.files()).toHaveLength(3);
  });

  it('mails: the summary to the configured recipient counts', async () => {
    const gateway = await gatewayWith({
      quotas: { mails: mails(1) },
      defaultRecipient: 'office@company.example',
    });
    expect([(await send(gateway)).status, (await send(gateway)).status]).toEqual([200, 429]);
  });

  it('counts each of several recipients, in one part or in several', async () => {
    const gateway = await gatewayWith({ quotas: { mails: mails(5) } });
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
  ])('answers a summary to %s with %i', async (address, status) => {
    const gateway = await gatewayWith({ quotas: { recipientDomains: ['company.example'] } });
    expect(await send(gateway, fieldPart('email', address))).toMatchObject({ status });
    expect(gateway.imports).toHaveLength(status === 200 ? 1 : 0);
    expect(await gateway.files()).toHaveLength(status === 200 ? 1 : 0);
  });

  it('answers a summary to any domain with 200 where the list is *', async () => {
    const gateway = await gatewayWith({ quotas: { recipientDomains: ['*'] } });
    expect(await send(gateway, fieldPart('email', 'person@elsewhere.example'))).toMatchObject({
      status: 200,
    });
  });
});

describe('logins with the regulator', () => {
  /** @param answers of the regulator, one for each login */
  async function gatewayWithLogins(limit: number, answers: (() => Promise<SessionState>)[]) {
    const gateway = await startGateway({
      change: (dependencies) => ({
        quotas: { ...dependencies.quotas, logins: rateOf(limit, { kind: 'logins', windowSeconds: 3600 }) },
        sessions: {
          ...dependencies.sessions,
          logIn: () => answers.shift()?.() ?? Promise.reject(new Error('one login too many')),
        },
      }),
    });
    const logIn = (token = gateway.token) =>
      fetch(`${gateway.url}/regulator/session`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      });
    return { logIn, other: await gateway.tokens.sign({ client_id: 'other' }) };
  }

  const mailed = async () => ({ status: 'awaiting_verification_code', expiresAt: null }) as const;

  it('are limited over all clients, before the regulator mails a code', async () => {
    const { logIn, other } = await gatewayWithLogins(2, [mailed, mailed]);
    const answers = [await logIn(), await logIn(other), await logIn()];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 429]);
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(3_500);
    expect(await answers[2]?.json()).toMatchObject({
      message: 'The quota of 2 logins per hour of all clients together is used up. Try again later.',
      data: { code: 'too_many_requests' },
    });
  });

  it('that the regulator does not answer do not count', async () => {
    const away = () => Promise.reject(new RegulatorUnavailable('no answer'));
    const { logIn } = await gatewayWithLogins(1, [away, away, mailed]);
    const statuses = [];
    for (let attempts = 0; attempts < 4; attempts += 1) statuses.push((await logIn()).status);
    expect(statuses).toEqual([502, 502, 202, 429]);
  });
});

describe('a process', () => {
  it('with its maximum of uploads: 503 before the body, for every client and every repetition', async () => {
    const gateway = await gatewayWith({ limits: { uploadsAtOnce: 2 } });
    const other = await gateway.tokens.sign({ client_id: 'other' });
    const running = [await begin(gateway), await begin(gateway)];
    await underWay(gateway, 2);
    expect(await firstAnswer(gateway, { token: other })).toBe(503);
    expect(await firstAnswer(gateway, { key: KNOWN_KEY })).toBe(503);
    expect(await send(gateway)).toMatchObject({ status: 503, code: 'overloaded', retryAfter: 5 });
    running[0]?.destroy();
    await eventually(async () => (await send(gateway)).status === 200);
  });

  it('reserves a quarter of its places for clients without uploads', async () => {
    const gateway = await gatewayWith({ limits: { uploadsAtOnce: 4 } });
    const running = [await begin(gateway), await begin(gateway), await begin(gateway)];
    await underWay(gateway, 3);
    expect(await firstAnswer(gateway)).toBe(503);
    const other = await gateway.tokens.sign({ client_id: 'other' });
    expect(await send(gateway, '', other)).toMatchObject({ status: 200 });
    running[0]?.destroy();
    await eventually(async () => (await send(gateway)).status === 200);
  });

  it('does not count refused uploads of a client above its quota', async () => {
    // The database answers slowly.
    const told = Promise.withResolvers<null>();
    let asked = 0;
    const uploads: ClientSlots = {
      limit: 1,
      async take(clientId) {
        if (clientId === 'other') return async () => {};
        asked += 1;
        return told.promise;
      },
      reserved: async () => ({ all: 0, own: 0 }),
    };
    const gateway = await gatewayWith({ quotas: { uploads }, limits: { uploadsAtOnce: 2 } });
    const flood = [send(gateway), send(gateway)];
    await eventually(async () => asked === 2);
    const other = await gateway.tokens.sign({ client_id: 'other' });
    expect(await send(gateway, '', other)).toMatchObject({ status: 200 });
    told.resolve(null);
    for (const { status } of await Promise.all(flood)) expect(status).toBe(429);
  });

  it('counts an upload during its receipt, not during its reading', async () => {
    const gateway = await gatewayWith({ limits: { uploadsAtOnce: 1 } });
    const processing = gateway.holdProcessing();
    const first = send(gateway);
    await processing.begun;
    gateway.processing.run = async () => {};
    expect(await send(gateway)).toMatchObject({ status: 200 });
    processing.end();
    expect(await first).toMatchObject({ status: 200 });
  });
});

describe('connections of a process', () => {
  const HEALTH = 'GET /health/live HTTP/1.1\r\nHost: gateway\r\n\r\n';

  it('above the limit get 503 with the envelope; a free place is given to the next', async () => {
    const gateway = await gatewayWith({}, { server: { maxConnections: 4 } });
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
    // Several refused connections that stay open would have the next one closed without an answer.
    surplus.destroy();
    first[0]?.destroy();
    await eventually(async () => {
      const next = await open();
      await next.send(HEALTH);
      const status = await next.status();
      next.destroy();
      return status === 200;
    });
  });

  it('far above the limit are closed at once', async () => {
    const gateway = await gatewayWith({}, { server: { maxConnections: 4 } });
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
    await connection.send(head(uploadHeaders(gateway.token, 100_000)));
    await connection.send(multipartBody(100_000).subarray(0, 300));
    const dripping = setInterval(() => void connection.send('x'), 50);
    onTestFinished(() => clearInterval(dripping));
    expect(await connection.status()).toBe(408);
    await connection.until(/less than 1000 bytes per second arrived for 0.5 s/);
    expect(await gateway.files()).toEqual([]);
  });

  it('is not one with just the required throughput', async () => {
    // A longer window: this process may stand still for some tenths of a second.
    const gateway = await gatewayWith({ limits: { uploadFloor: { ...uploadFloor, windowMs: 1_500 } } });
    const body = multipartBody(12_000);
    const connection = await Connection.open(gateway.port);
    await connection.send(head(uploadHeaders(gateway.token, body.length)));
    for (let at = 0; at < body.length; at += 400) {
      await connection.send(body.subarray(at, at + 400));
      await sleep(150);
    }
    expect(await connection.status()).toBe(200);
  });

  it('is not one that waits for the storage', async () => {
    const held = Promise.withResolvers<void>();
    const gateway = await startGateway({
      limits: { uploadFloor },
      change: (dependencies) => ({
        storage: {
          ...dependencies.storage,
          put: async (key, source) => {
            await held.promise;
            return dependencies.storage.put(key, source);
          },
        },
      }),
    });
    const connection = await Connection.open(gateway.port);
    const body = multipartBody(3 * MB);
    await connection.send(head(uploadHeaders(gateway.token, body.length)));
    const sent = connection.send(body);
    await sleep(1_800);
    held.resolve();
    await sent;
    expect(await connection.status()).toBe(200);
  });
});

describe('a storage', () => {
  async function gatewayWithRoom(bytes: number) {
    const room = { bytes };
    const gateway = await gatewayWith({
      limits: { minFreeBytes: MB },
      storage: { freeBytes: async () => room.bytes },
    });
    return { gateway, room };
  }

  it('with less than an upload may need, ZIP and attachments: 503 before the body', async () => {
    const { gateway, room } = await gatewayWithRoom(5 * MB);
    expect(await firstAnswer(gateway, { announced: 2 * MB + 1 })).toBe(503);
    expect(await firstAnswer(gateway, { announced: 2 * MB })).toBe(100);
    room.bytes = MB;
    expect(await send(gateway)).toMatchObject({ status: 503, code: 'storage_full', retryAfter: 60 });
    room.bytes = 5 * MB;
    await eventually(async () => (await send(gateway)).status === 200);
  });

  it('counts what other uploads under way may need, of all clients', async () => {
    const { gateway } = await gatewayWithRoom(10 * MB);
    const connection = await Connection.open(gateway.port);
    await connection.send(head(uploadHeaders(gateway.token, 3 * MB)));
    await connection.send(multipartBody(1_000).subarray(0, 500));
    await underWay(gateway, 1);
    const token = await gateway.tokens.sign({ client_id: 'other' });
    expect(await firstAnswer(gateway, { token, announced: 2 * MB })).toBe(503);
    expect(await firstAnswer(gateway, { token, announced: MB })).toBe(100);
    connection.destroy();
    await eventually(async () => (await firstAnswer(gateway, { token, announced: 2 * MB })) === 100);
  });

  it('leaves a quarter to clients without an upload', async () => {
    const { gateway } = await gatewayWithRoom(9 * MB);
    const connection = await Connection.open(gateway.port);
    await connection.send(head(uploadHeaders(gateway.token, 2.5 * MB)));
    await connection.send(multipartBody(1_000).subarray(0, 500));
    await underWay(gateway, 1);
    const token = await gateway.tokens.sign({ client_id: 'other' });
    expect(await firstAnswer(gateway, { announced: MB })).toBe(503);
    expect(await firstAnswer(gateway, { announced: MB / 2 })).toBe(100);
    expect(await firstAnswer(gateway, { token, announced: MB })).toBe(100);
    connection.destroy();
  });

  it('reserves the maximum for a body without a length, and no attachments for a dry run', async () => {
    const { gateway } = await gatewayWithRoom(8 * MB);
    // The maximum is 4 MB.
    expect(await firstAnswer(gateway, { announced: 'chunked' })).toBe(503);
    expect(await firstAnswer(gateway, { announced: 'chunked', query: '?dry_run=true' })).toBe(100);
  });

  it.each([500, MB])('that is full after %i bytes of an upload: 503, and nothing is left', async (fills) => {
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
  });
});
