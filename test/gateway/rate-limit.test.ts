/** The limit of requests per minute of a program or a person, counted after authentication. */
import { describe, expect, it } from 'vitest';
import { createRequestAllowance } from '../../src/gateway/quotas/limit-requests.ts';
import { Connection } from '../support/connection.ts';
import { rateOf } from '../support/counted-quotas.ts';
import { head, uploadHeaders } from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';

const PATH = '/regulator/session';

async function gatewayWith(requestsPerMinute: number) {
  const gateway = await startGateway({
    change: (dependencies) => ({
      quotas: {
        ...dependencies.quotas,
        requests: rateOf(requestsPerMinute),
      },
      tokens: { ...dependencies.tokens, peopleClientId: 'page' },
    }),
  });
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
      message: 'The quota of 3 requests per minute of this client is used up. Try again later.',
      data: { code: 'too_many_requests', doc_url: '/api/doc/errors#too_many_requests' },
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

  it('counts a client by its id, over all its tokens', async () => {
    const { gateway, get } = await gatewayWith(2);
    await get(gateway.token);
    await get(await gateway.tokens.sign({ jti: 'second' }));
    expect((await get(await gateway.tokens.sign({ jti: 'third' }))).status).toBe(429);
  });

  it('counts each person of the web page, whose client they share', async () => {
    const { gateway, get } = await gatewayWith(1);
    const ann = await gateway.tokens.sign({ client_id: 'page', sub: 'ann' });
    const ben = await gateway.tokens.sign({ client_id: 'page', sub: 'ben' });
    expect((await get(ann)).status).toBe(200);
    expect((await get(ann)).text).toContain('The quota of 1 requests per minute of this person is used up.');
    expect((await get(ben)).status).toBe(200);
    const renamed = await gateway.tokens.sign({ client_id: 'page', sub: 'ann', preferred_username: 'Ann' });
    expect((await get(renamed)).status).toBe(429);
  });

  it('does not count requests that only claim to come from a client', async () => {
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
  });
});

describe('over time', () => {
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

  it('accepts exactly the limit in a window, in any distribution', async () => {
    const { ask, allow } = limiter(60);
    const together = await Promise.all(Array.from({ length: 100 }, () => allow('a')));
    expect(together.filter(({ allowed }) => allowed)).toHaveLength(60);
    expect(await ask('a', 1_000)).toBe(59);
    expect(await ask('a', 60_000)).toBeNull();
  });

  it('needs a statement for one request in twenty, and for none of a client above its limit', async () => {
    const { ask, rate } = limiter(600);
    for (let sent = 0; sent < 600; sent += 1) expect(await ask('a', sent)).toBeNull();
    expect(rate.taken).toBe(20);
    for (let sent = 0; sent < 1_000; sent += 1) expect(await ask('a', 1_000 + sent)).not.toBeNull();
    expect(rate.taken).toBe(20);
  });

  it('names a time to wait after which it accepts', async () => {
    const { ask } = limiter(2);
    await ask('a', 0);
    await ask('a', 0);
    const wait = (await ask('a', 5_000)) ?? 0;
    expect(wait).toBe(55);
    expect(await ask('a', 5_000 + wait * 1_000)).toBeNull();
  });

  it('counts requests that other gateways accepted', async () => {
    const rate = rateOf(100, { now: () => 0 });
    const gateways = [createRequestAllowance(rate, () => 0), createRequestAllowance(rate, () => 0)];
    let served = 0;
    for (let sent = 0; sent < 300; sent += 1) if ((await gateways[sent % 2]?.('a'))?.allowed) served += 1;
    expect(served).toBe(100);
  });

  it('removes clients from memory, not their counts', async () => {
    const { ask } = limiter(1);
    for (let client = 0; client < 30_000; client += 1) await ask(`client-${client}`, client);
    expect(await ask('client-29999', 30_000)).not.toBeNull();
    expect(await ask('client-0', 60_001)).toBeNull();
  });
});
