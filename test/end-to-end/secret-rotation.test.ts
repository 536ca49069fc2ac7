/** The rotation of ENCRYPTION_SECRET, process by process as in deploy/runbook.md (decision §encrypted-values). */
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createCipher } from '../../src/database/encryption.ts';
import { closing } from '../support/cleanup.ts';
import { startStack, startWorkersHere } from '../support/starters/stack.ts';
import { call } from '../support/upload.ts';

const stack = await startStack({ withoutWorkers: true });
const [old = ''] = stack.config.encryptionSecrets ?? [];
const replacement = 'the next secret of the tests';

const logged: string[] = [];
const logger = pino({ level: 'info' }, { write: (line) => logged.push(line) });
const startWorker = (...encryptionSecrets: string[]) => {
  const worker = { ...stack.config.worker, roles: ['package-import'] as const };
  return closing(startWorkersHere({ ...stack.config, encryptionSecrets, worker }, logger));
};

const idOf = (secret: string) => createCipher([secret]).newestPrefix;
const idsInUse = async () => {
  const rows = await stack.sql<{ id: string }>(
    `select distinct left(value, 9) as id from (
       select encrypted_token as value from regulator_session union all select encrypted_secret from webhook) as stored`,
  );
  return rows.map(({ id }) => id);
};

it('a worker encrypts everything with the new secret, and then the old one is not needed', async () => {
  await stack.database.webhooks.register('client', null, 'test');
  expect(await idsInUse()).toEqual([idOf(old)]);

  const announced = await startWorker(old, replacement);
  expect(await idsInUse()).toEqual([idOf(old)]);
  await announced.close();

  await startWorker(replacement, old);
  expect(await idsInUse()).toEqual([idOf(replacement)]);
  expect(logged.join()).toContain('stored secrets are encrypted with the newest ENCRYPTION_SECRET');

  const { url } = await stack.startGateway({ encryptionSecrets: [replacement] });
  // A logout decrypts the token, to end the session with the regulator as well.
  const loggedOut = await call({ ...stack, gatewayUrl: url }, 'DELETE', '/regulator/session');
  expect(loggedOut).toMatchObject({ status: 200, body: { data: { status: 'none' } } });
});
