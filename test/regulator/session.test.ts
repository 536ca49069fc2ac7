/** The session with the regulator is renewed in time, and every call with it waits for its permit. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Database } from '../../src/database/index.ts';
import { RegulatorRateLimited, RegulatorSessionRequired } from '../../src/domain/client-errors.ts';
import type { Regulator, SessionGrant } from '../../src/regulator/port.ts';
import { createRateLimitedRegulator } from '../../src/regulator/rate-limited-regulator.ts';
import { createRegulatorSessions } from '../../src/regulator/session.ts';

const MINUTE_MS = 60_000;

/**
 * @param minutes lifetime of the session, and the rest of it
 * @param renew the regulator's answer to a renewal
 */
function sessionWith(
  minutes: { lifetime: number; left: number },
  renew: () => Promise<SessionGrant> = async () => grant('renewed', 60),
) {
  const now = Date.now();
  let stored = {
    token: 'first',
    expiresAt: new Date(now + minutes.left * MINUTE_MS),
    since: new Date(now - (minutes.lifetime - minutes.left) * MINUTE_MS),
  };
  let renewals = 0;
  let last: Promise<unknown> = Promise.resolve();
  const store = {
    active: async () => stored,
    // One caller after the other has the lock.
    unlessRunning: (work: () => Promise<unknown>) => {
      last = last.then(work);
      return last;
    },
    // Another process renews, and is frozen.
    isRunning: async () => true,
    storeRenewed: async (_token: string, renewed: SessionGrant) => {
      stored = { ...renewed, since: new Date() };
    },
  } as unknown as Database['regulatorSession'];
  const regulator = {
    async renew() {
      renewals += 1;
      return renew();
    },
  } as unknown as Regulator;
  const sessions = createRegulatorSessions(regulator, store);
  return { sessions, renewals: () => renewals };
}

function grant(token: string, minutes: number): SessionGrant {
  return { token, expiresAt: new Date(Date.now() + minutes * MINUTE_MS) };
}

const tokenOf = (token: string) => Promise.resolve(token);

describe('a call', () => {
  it.each([
    [60, 16, 'first'],
    [60, 11, 'first'],
    [60, 9, 'renewed'],
    [20, 9, 'first'],
    [20, 6, 'first'],
    [20, 4, 'renewed'],
  ])('in a session of %i minutes with %i left has the %s token', async (lifetime, left, token) => {
    const { sessions, renewals } = sessionWith({ lifetime, left });
    expect(await sessions.use(tokenOf)).toBe(token);
    expect(renewals()).toBe(token === 'renewed' ? 1 : 0);
  });

  it('uses the session to its end where the regulator does not renew it, and asks only now and then', async () => {
    const refuse = () => Promise.reject(new RegulatorSessionRequired('no renewal'));
    const { sessions, renewals } = sessionWith({ lifetime: 60, left: 5 }, refuse);
    const atOnce = await Promise.all([sessions.use(tokenOf), sessions.use(tokenOf)]);
    expect([...atOnce, await sessions.use(tokenOf)]).toEqual(['first', 'first', 'first']);
    expect(renewals()).toBe(1);
  });
});

describe('a rejected call waits for a renewal by another process', () => {
  const rejected = () => Promise.reject(new RegulatorSessionRequired('The token is unknown.'));

  it('until it is cancelled', async () => {
    const { sessions } = sessionWith({ lifetime: 60, left: 30 });
    const cancelled = new Error('cancelled');
    await expect(sessions.use(rejected, AbortSignal.abort(cancelled))).rejects.toBe(cancelled);
  });

  it('at most for 30 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const failed = sessionWith({ lifetime: 60, left: 30 }).sessions.use(rejected).catch(String);
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await Promise.race([failed, 'it waits'])).toContain('has not ended yet');
  });
});

describe('without calls', () => {
  it.each([
    [11, 0],
    [9, 1],
  ])('a session of an hour with %i minutes left is renewed %i times', async (left, times) => {
    const { sessions, renewals } = sessionWith({ lifetime: 60, left });
    await sessions.keepAlive();
    expect(renewals()).toBe(times);
  });

  it('an answer that asks to wait is no failure', async () => {
    const wait = () => Promise.reject(new RegulatorRateLimited(5));
    await sessionWith({ lifetime: 60, left: 5 }, wait).sessions.keepAlive();
  });
});

/** Makes one call of each kind. Returns what happened, in its order. */
async function happens(name: keyof Regulator, failure?: Error): Promise<string[]> {
  const happened: string[] = [];
  const regulator = new Proxy({} as Regulator, {
    get: (_, call: string) => async () => {
      happened.push(call);
      if (failure) throw failure;
    },
  });
  const rateLimited = createRateLimitedRegulator(regulator, {
    acquire: async () => void happened.push('permit'),
    pause: async (seconds) => void happened.push(`pause of ${seconds} s`),
  });
  await (rateLimited[name] as () => Promise<unknown>)().catch((error: unknown) => {
    expect(error).toBe(failure);
  });
  return happened;
}

describe.each(['renew', 'openCase', 'sendAttachment', 'sendSection'] as const)('%s', (name) => {
  it('waits for its permit', async () => {
    expect(await happens(name)).toEqual(['permit', name]);
  });

  it('stops all calls for as long as the regulator asks', async () => {
    expect(await happens(name, new RegulatorRateLimited(7))).toEqual(['permit', name, 'pause of 7 s']);
    expect(await happens(name, new Error('another'))).toEqual(['permit', name]);
  });
});

it.each(['logIn', 'verify', 'logOut'] as const)('%s does not wait', async (name) => {
  expect(await happens(name)).toEqual([name]);
});
