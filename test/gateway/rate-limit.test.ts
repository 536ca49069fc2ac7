/** CLIENT_REQUESTS_PER_MINUTE: the limit of one client's requests, counted after authentication. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRequestAllowance } from '../../src/gateway/quotas/limit-requests.ts';
import { startBareGateway } from './support/bare-gateway.ts';
import { Connection } from './support/connection.ts';
import { rateOf } from './support/quotas.ts';
import { head, uploadHeaders } from './support/requests.ts';

const PATH = '/regulator/session';

async function gatewayWith(requestsPerMinute: number | null) {
  const gateway = await startBareGateway({
    change: (dependencies) => ({
      ...dependencies,
      quotas: {
        ...dependencies.quotas,
        requests: requestsPerMinute === null ? null : rateOf(requestsPerMinute),
      },
    }),
  });
  onTestFinished(() => gateway.stop());
  const get = async (token: string, path = PATH) => {
    const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${token}` } });
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      limit: response.headers.get('ratelimit'),
      policy: response.headers.get('ratelimit-policy'),
      text: await response.text(),
    };
  };
  return { gateway, get };
}

describe('over HTTP', () => {
  it('may be off', async () => {
    const { gateway, get } = await gatewayWith(null);
    const answers = await Promise.all(Array.from({ length: 200 }, () => get(gateway.token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('answers 429 with Retry-After in the envelope, to this client and no other', async () => {
    const { gateway, get } = await gatewayWith(3);
    const other = await gateway.tokens.sign({ client_id: 'other' });
    const statuses: number[] = [];
    for (let sent = 0; sent < 4; sent += 1) statuses.push((await get(gateway.token)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await get(gateway.token, '/regulator/submissions/1');
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text)).toEqual({
      status: 'error',
      message: 'A client may have 3 requests per minute. Try again later.',
      data: { code: 'too_many_requests' },
    });
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(Number(refused.retryAfter)).toBeLessThanOrEqual(60);
    expect(refused.policy).toBe('"requests";q=3;w=60');
    expect(refused.limit).toMatch(/^"requests";r=0;t=\d+$/);
    const fresh = await get(other);
    expect(fresh.status).toBe(200);
    expect(fresh.limit).toMatch(/^"requests";r=2;t=(?:59|60)$/);
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
  });

  it('counts a client by its id, whichever of its tokens it uses', async () => {
    const { gateway, get } = await gatewayWith(2);
    await get(gateway.token);
    await get(await gateway.tokens.sign({ jti: 'second' }));
    expect((await get(await gateway.tokens.sign({ jti: 'third' }))).status).toBe(429);
  });

  it('does not count what anybody can send in the name of a client', async () => {
    const { gateway, get } = await gatewayWith(2);
    for (let sent = 0; sent < 10; sent += 1) expect((await get(`${gateway.token}x`)).status).toBe(401);
    expect((await get(gateway.token)).status).toBe(200);
  });

  it('refuses an upload before its body', async () => {
    const { gateway, get } = await gatewayWith(1);
    await get(gateway.token);
    const connection = await Connection.open(gateway.port);
    await connection.send(head({ ...uploadHeaders(gateway.token, 1_000_000), Expect: '100-continue' }));
    expect(await connection.status()).toBe(429);
    expect(connection.received).not.toContain('100 Continue');
    connection.destroy();
  });
});

describe('in time', () => {
  /** Answers of the limiter to requests of a client: null, or the seconds to wait. */
  function limiter(perMinute: number) {
    let clock = 0;
    const now = () => clock;
    const rate = rateOf(perMinute, { now });
    const allow = createRequestAllowance(rate, now);
    const ask = async (clientId: string, atMs: number): Promise<number | null> => {
      clock = atMs;
      const { allowed, resetSeconds } = await allow(clientId);
      return allowed ? null : resetSeconds;
    };
    return { ask, rate, allow };
  }

  it('lets exactly the limit go in a window, however they come', async () => {
    const { ask, allow } = limiter(60);
    const together = await Promise.all(Array.from({ length: 100 }, () => allow('a')));
    expect(together.filter(({ allowed }) => allowed)).toHaveLength(60);
    expect(await ask('a', 1_000)).toBe(59);
    expect(await ask('a', 60_000)).toBeNull();
  });

  it('asks the database for one request in twenty, and for none of a client that is over its limit', async () => {
    const { ask, rate } = limiter(600);
    for (let sent = 0; sent < 600; sent += 1) expect(await ask('a', sent)).toBeNull();
    expect(rate.taken).toBe(20);
    for (let sent = 0; sent < 1_000; sent += 1) expect(await ask('a', 1_000 + sent)).not.toBeNull();
    expect(rate.taken).toBe(20);
  });

  it('says how long to wait, and keeps its word', async () => {
    const { ask } = limiter(2);
    await ask('a', 0);
    await ask('a', 0);
    const wait = (await ask('a', 5_000)) ?? 0;
    expect(wait).toBe(55);
    expect(await ask('a', 5_000 + wait * 1_000)).toBeNull();
  });

  it('counts what other gateways let go', async () => {
    const rate = rateOf(100, { now: () => 0 });
    const gateways = [createRequestAllowance(rate, () => 0), createRequestAllowance(rate, () => 0)];
    let served = 0;
    for (let sent = 0; sent < 300; sent += 1) if ((await gateways[sent % 2]?.('a'))?.allowed) served += 1;
    expect(served).toBe(100);
  });

  it('forgets clients, not their debts', async () => {
    const { ask } = limiter(1);
    for (let client = 0; client < 30_000; client += 1) await ask(`client-${client}`, client);
    expect(await ask('client-29999', 30_000)).not.toBeNull();
    expect(await ask('client-0', 60_001)).toBeNull();
  });
});
