/** The attempts of a login for its code, over all gateways. */
import { beforeEach, expect, it } from 'vitest';
import { openTestDatabase } from '../support/database.ts';

const LOGIN = 'login';
const ATTEMPTS = 5;

const { regulatorSession: session } = (await openTestDatabase()).database;
beforeEach(() => session.storePendingLogin(LOGIN, 'test'));

it('a login has five attempts, also for concurrent requests', async () => {
  const taken = await Promise.all(Array.from({ length: ATTEMPTS + 3 }, () => session.takeCodeAttempt(LOGIN)));
  expect(taken.filter((left) => left !== null).sort()).toEqual([0, 1, 2, 3, 4]);
});

it('the next login has five attempts again, and a login that is not pending has none', async () => {
  await session.takeCodeAttempt(LOGIN);
  await session.storePendingLogin('next', 'test');
  expect(await session.takeCodeAttempt(LOGIN)).toBeNull();
  expect(await session.takeCodeAttempt('next')).toBe(ATTEMPTS - 1);
});

it('an attempt is returned if the regulator was not reached', async () => {
  for (let attempts = 0; attempts < 2 * ATTEMPTS; attempts += 1) {
    expect(await session.takeCodeAttempt(LOGIN)).toBe(ATTEMPTS - 1);
    await session.refundCodeAttempt(LOGIN);
  }
});

it('the last wrong code ends the login', async () => {
  await session.recordWrongCode(LOGIN, 1, 'test');
  expect(await session.pendingLogin()).toBe(LOGIN);
  await session.recordWrongCode(LOGIN, 0, 'test');
  expect(await session.state()).toEqual({ status: 'none', expiresAt: null });
});
