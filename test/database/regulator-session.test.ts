/** The tries of a login for its code, over all gateways. */
import { beforeEach, expect, it } from 'vitest';
import { openTestDatabase } from '../support/database.ts';

const LOGIN = 'login';
const TRIES = 5;

const { regulatorSession: session } = (await openTestDatabase()).database;
beforeEach(() => session.storePendingLogin(LOGIN, 'test'));

it('a login has five tries, also for concurrent requests', async () => {
  const taken = await Promise.all(Array.from({ length: TRIES + 3 }, () => session.takeCodeTry(LOGIN)));
  expect(taken.filter((left) => left !== null).sort()).toEqual([0, 1, 2, 3, 4]);
});

it('the next login has five tries again, and a login that is not pending has none', async () => {
  await session.takeCodeTry(LOGIN);
  await session.storePendingLogin('next', 'test');
  expect(await session.takeCodeTry(LOGIN)).toBeNull();
  expect(await session.takeCodeTry('next')).toBe(TRIES - 1);
});

it('a try is returned if the regulator was not reached', async () => {
  for (let tries = 0; tries < 2 * TRIES; tries += 1) {
    expect(await session.takeCodeTry(LOGIN)).toBe(TRIES - 1);
    await session.giveCodeTryBack(LOGIN);
  }
});

it('the last wrong code ends the login', async () => {
  await session.recordWrongCode(LOGIN, 1, 'test');
  expect(await session.pendingLogin()).toBe(LOGIN);
  await session.recordWrongCode(LOGIN, 0, 'test');
  expect(await session.state()).toEqual({ status: 'none', expiresAt: null });
});
