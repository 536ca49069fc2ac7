import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, isTemporary, Unreachable } from '../../cli/client/errors.ts';
import { retryAfterSeconds } from '../../src/common/network.ts';
import { type Retry, retrying } from '../../src/common/retrying.ts';

const SOON = { attempts: 4, firstPauseMs: 1, longestPauseMs: 3 };

describe('retrying', () => {
  it.each([0, 1, 2, 3])('returns the first success, here after %d failures', async (failures) => {
    const retries: Retry[] = [];
    let tried = 0;
    const result = await retrying(
      async () => {
        tried += 1;
        if (tried <= failures) throw new Error(`failure ${tried}`);
        return tried;
      },
      { ...SOON, isWorthRetrying: () => true, onRetry: (retry) => retries.push(retry) },
    );
    expect(result).toBe(failures + 1);
    expect(retries.map(({ next, attempts }) => [next, attempts])).toEqual(
      Array.from({ length: failures }, (_, index) => [index + 2, 4]),
    );
  });

  it('throws the last failure', async () => {
    let tried = 0;
    const failing = retrying(
      async () => {
        tried += 1;
        throw new Error(`failure ${tried}`);
      },
      { ...SOON, isWorthRetrying: () => true },
    );
    await expect(failing).rejects.toThrow('failure 4');
  });

  it('does not repeat permanent failures', async () => {
    let tried = 0;
    const failing = retrying(
      async () => {
        tried += 1;
        throw new Error('for good');
      },
      { ...SOON, isWorthRetrying: () => false },
    );
    await expect(failing).rejects.toThrow('for good');
    expect(tried).toBe(1);
  });

  it('waits as long as the service asks, up to a limit', async () => {
    const pauses: number[] = [];
    const asked = (seconds: number) => new ApiError('gateway', 503, 'later', { retryAfterSeconds: seconds });
    let tried = 0;
    const attempt = async () => {
      tried += 1;
      throw asked(tried === 1 ? 600 : 601);
    };
    const failing = retrying(attempt, {
      ...SOON,
      isWorthRetrying: () => true,
      wait: async (pauseMs) => void pauses.push(pauseMs),
    });
    await expect(failing).rejects.toMatchObject({ retryAfterSeconds: 601 });
    expect(pauses).toEqual([600_000]);
  });

  it('ends a pause with the reason of the signal', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    const failing = retrying(() => Promise.reject(new Error('no')), {
      attempts: 2,
      firstPauseMs: 60_000,
      longestPauseMs: 60_000,
      signal: stop.signal,
      isWorthRetrying: () => true,
      onRetry: () => setImmediate(() => stop.abort(reason)),
    });
    await expect(failing).rejects.toBe(reason);
  });

  it('doubles its pauses, up to the longest', () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), async (longestPauseMs) => {
        const pauses: number[] = [];
        await retrying(() => Promise.reject(new Error('no')), {
          attempts: 5,
          firstPauseMs: 1,
          longestPauseMs,
          isWorthRetrying: () => true,
          onRetry: ({ pauseMs }) => pauses.push(pauseMs),
        }).catch(() => {});
        const ideal = [1, 2, 4, 8].map((ms) => Math.min(ms, longestPauseMs));
        pauses.forEach((pause, index) => {
          expect(Math.abs(pause - (ideal[index] ?? 0))).toBeLessThanOrEqual(0.2 * (ideal[index] ?? 0) + 1e-9);
        });
        expect(pauses).toHaveLength(4);
      }),
      { numRuns: 10 },
    ));
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-31T12:00:00Z');
  it.each<[string | null, number | null]>([
    ['5', 5],
    [' 0 ', 0],
    ['Sat, 31 Jan 2026 12:00:07 GMT', 7],
    ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
    ['soon', null],
    [null, null],
  ])('%j', (value, seconds) => {
    const headers = new Headers(value === null ? {} : { 'retry-after': value });
    expect(retryAfterSeconds(headers, now)).toBe(seconds);
  });
});

describe('isTemporary', () => {
  const failure = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });

  it.each([408, 429, 500, 502, 503, 504])('an answer with %d', (status) => {
    expect(isTemporary(new ApiError('gateway', status, 'Internal error.'))).toBe(true);
  });

  it.each([400, 401, 403, 404, 409, 412, 413, 422, 501])('not an answer with %d', (status) => {
    expect(isTemporary(new ApiError('gateway', status, 'No.'))).toBe(false);
  });

  it.each(['invalid_package', 'import_cancelled'])('not an import that is %s', (code) => {
    expect(isTemporary(new ApiError('gateway', 500, 'No.', { data: { code } }))).toBe(false);
  });

  it('not a login that the regulator refused', () => {
    const data = { code: 'regulator_login_refused' };
    expect(isTemporary(new ApiError('gateway', 502, 'No.', { data }))).toBe(false);
  });

  it.each([
    'import_failed',
    'internal',
    'outcome_unknown',
    'temporarily_unavailable',
    'a_code_to_come',
    7,
    undefined,
  ])('an answer with 500 and the code %s', (code) =>
    expect(isTemporary(new ApiError('gateway', 500, 'No.', { data: { code } }))).toBe(true),
  );

  it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])('a connection with %s', (code) => {
    expect(isTemporary(new Unreachable('gateway', 'http://x', failure(code)))).toBe(true);
  });

  it.each(['ENOTFOUND', 'DEPTH_ZERO_SELF_SIGNED_CERT'])('not a connection with %s', (code) => {
    expect(isTemporary(new Unreachable('gateway', 'http://x', failure(code)))).toBe(false);
  });

  it('a host none of whose addresses answers', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED ::1:1'), { code: 'ECONNREFUSED' });
    const error = new Unreachable('gateway', 'http://x', new AggregateError([refused, refused]));
    expect(isTemporary(error)).toBe(true);
    expect(error.message).toBe('The gateway at http://x cannot be reached: connect ECONNREFUSED ::1:1.');
  });
});
