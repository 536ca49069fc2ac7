/** RATE_LIMIT_PER_MINUTE: so many requests of one client, counted when it is known who sends them. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpError } from '../../src/gateway/http-error.ts';
import { limitRate } from '../../src/gateway/middleware/limit-rate.ts';
import { startBareGateway } from './support/bare-gateway.ts';
import { Connection } from './support/connection.ts';
import { head, uploadHeaders } from './support/requests.ts';

const PATH = '/regulator/session';

async function gatewayWith(requestsPerMinute: number | null) {
  const gateway = await startBareGateway({
    change: (dependencies) => ({ ...dependencies, limits: { ...dependencies.limits, requestsPerMinute } }),
  });
  onTestFinished(() => gateway.stop());
  const get = async (token: string, path = PATH) => {
    const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${token}` } });
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      text: await response.text(),
    };
  };
  return { gateway, get };
}

describe('over HTTP', () => {
  it('is off by default', async () => {
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
      message: 'A client may send 3 requests per minute. Try again later.',
      data: { code: 'too_many_requests' },
    });
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(Number(refused.retryAfter)).toBeLessThanOrEqual(20);
    expect((await get(other)).status).toBe(200);
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
  /** What a request of a client at a time gets: null, or the seconds to wait. */
  function limiter(perMinute: number) {
    let clock = 0;
    const middleware = limitRate(perMinute, () => clock);
    return async (clientId: string, atMs: number): Promise<number | null> => {
      clock = atMs;
      try {
        await middleware({ state: { caller: { clientId } } } as never, async () => {});
        return null;
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        return Number(error.headers['Retry-After']);
      }
    };
  }

  it('gives back evenly what was used up at once', async () => {
    const ask = limiter(60);
    for (let sent = 0; sent < 60; sent += 1) expect(await ask('a', 0)).toBeNull();
    expect(await ask('a', 0)).toBe(1);
    expect(await ask('a', 999)).toBe(1);
    expect(await ask('a', 1_000)).toBeNull();
    expect(await ask('a', 1_000)).toBe(1);
    expect(await ask('a', 11_000)).toBeNull();
  });

  it('lets through exactly the limit, minute after minute, to a client that keeps asking', async () => {
    const ask = limiter(7);
    let served = 0;
    for (let at = 0; at < 10 * 60_000; at += 100) if ((await ask('a', at)) === null) served += 1;
    expect(served).toBeGreaterThanOrEqual(7 * 10);
    expect(served).toBeLessThanOrEqual(7 * 11);
  });

  it('says how long to wait, and keeps its word', async () => {
    const ask = limiter(2);
    await ask('a', 0);
    await ask('a', 0);
    const wait = (await ask('a', 5_000)) ?? 0;
    expect(wait).toBe(25);
    expect(await ask('a', 5_000 + wait * 1_000)).toBeNull();
  });

  it('forgets clients, not their debts', async () => {
    const ask = limiter(1);
    for (let client = 0; client < 30_000; client += 1) await ask(`client-${client}`, client);
    expect(await ask('client-29999', 30_000)).not.toBeNull();
    expect(await ask('client-0', 60_001)).toBeNull();
  });
});
