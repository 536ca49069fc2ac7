/** The tries of a login for its code, over all gateways. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/database/index.ts';
import { openTestDatabase } from '../support/database.ts';

const LOGIN = 'login';
const TRIES = 5;

let database: Database;
let session: Database['regulatorSession'];
beforeAll(async () => {
  ({ database } = await openTestDatabase());
  session = database.regulatorSession;
});
afterAll(() => database.close());
beforeEach(() => session.storePendingLogin(LOGIN, 'test'));

it('are five, however many ask at the same time', async () => {
  const taken = await Promise.all(Array.from({ length: TRIES + 3 }, () => session.takeCodeTry(LOGIN)));
  expect(taken.filter((left) => left !== null).sort()).toEqual([0, 1, 2, 3, 4]);
});

it('are five again for the next login, and none for a login that is not pending', async () => {
  await session.takeCodeTry(LOGIN);
  await session.storePendingLogin('next', 'test');
  expect(await session.takeCodeTry(LOGIN)).toBeNull();
  expect(await session.takeCodeTry('next')).toBe(TRIES - 1);
});

it('come back where the regulator was not reached', async () => {
  for (let tries = 0; tries < 2 * TRIES; tries += 1) {
    expect(await session.takeCodeTry(LOGIN)).toBe(TRIES - 1);
    await session.giveCodeTryBack(LOGIN);
  }
});

it('end the login with the last', async () => {
  await session.recordWrongCode(LOGIN, 1, 'test');
  expect(await session.pendingLogin()).toBe(LOGIN);
  await session.recordWrongCode(LOGIN, 0, 'test');
  expect(await session.state()).toEqual({ status: 'none', expiresAt: null });
});
