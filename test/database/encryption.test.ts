/** Encrypted values: bound to their place, and readable while their secret is rotated (decision §encrypted-values). */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createCipher, type Place } from '../../src/database/encryption.ts';
import type { Database } from '../../src/database/index.ts';
import { openAgain, openTestDatabase } from '../support/database.ts';
import { runSql } from '../support/servers.ts';

const [OLD, NEW] = ['the old secret of the tests', 'the new secret of the tests'];
const PLACE: Place = { table: 'webhook', column: 'encrypted_secret', row: 'client' };

describe('an encrypted value', () => {
  const encrypted = createCipher([OLD]).encrypt('token', PLACE);

  it('is read with its secret, wherever that stands in the list', () => {
    for (const secrets of [[OLD], [OLD, NEW], [NEW, OLD]])
      expect(createCipher(secrets).decrypt(encrypted, PLACE)).toBe('token');
  });

  it('cannot be read without its secret', () => {
    expect(() => createCipher([NEW]).decrypt(encrypted, PLACE)).toThrow(
      /a secret that ENCRYPTION_SECRET does not contain/,
    );
  });

  it.each<[string, Partial<Place>]>([
    ['row', { row: 'another client' }],
    ['column', { column: 'encrypted_previous_secret' }],
    ['table', { table: 'regulator_session' }],
  ])('cannot be read in another %s', (_what, change) => {
    expect(() => createCipher([OLD]).decrypt(encrypted, { ...PLACE, ...change })).toThrow();
  });

  it('names its key, not its secret, and differs each time', () => {
    const cipher = createCipher([NEW, OLD]);
    expect(cipher.encrypt('token', PLACE)).toMatch(/^[0-9a-f]{8}\.[A-Za-z0-9+/=]+$/);
    expect(cipher.encrypt('token', PLACE)).not.toBe(cipher.encrypt('token', PLACE));
    expect(cipher.encrypt('token', PLACE).startsWith(cipher.newestPrefix)).toBe(true);
    expect(encrypted.startsWith(cipher.newestPrefix)).toBe(false);
  });

  it('cannot be changed or shortened', () => {
    const [id, text = ''] = encrypted.split('.');
    const bytes = Buffer.from(text, 'base64');
    const changed = Buffer.from(bytes).fill(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    for (const wrong of [changed, bytes.subarray(0, -1), bytes.subarray(0, 20)])
      expect(() => createCipher([OLD]).decrypt(`${id}.${wrong.toString('base64')}`, PLACE)).toThrow();
  });
});

describe('a rotation of the secret', () => {
  /** The query of the runbook: ids of the secrets that stored values need. */
  async function idsIn(url: string): Promise<string[]> {
    const page = await readFile(new URL('../../deploy/runbook.md', import.meta.url), 'utf8');
    const query = /```sql\n(select distinct left\(value, 8\)[\s\S]+?)```/.exec(page)?.[1] ?? '';
    return (await runSql<{ left: string }>(url, query)).map((row) => row.left);
  }
  const idOf = (secret: string) => createCipher([secret]).newestPrefix.slice(0, 8);
  const expiresAt = new Date(Date.now() + 3_600_000);
  const secretsOf = ({ webhooks }: Database) => webhooks.secrets('client');

  it('loses nothing in any phase, and does not need the old secret at its end', async () => {
    const { url, database } = await openTestDatabase();
    await database.close();
    const as = (...encryptionSecrets: string[]) => openAgain(url, { encryptionSecrets });
    const before = await as(OLD);
    await before.regulatorSession.storeActive('token', expiresAt, 'test');
    await before.webhooks.register('client', 'https://hooks.example/', 'test');
    await before.webhooks.rotate('client', 'test');
    const secrets = await secretsOf(before);
    expect(secrets).toHaveLength(2);

    // The steps of deploy/runbook.md, one process each.
    const announced = await as(OLD, NEW);
    expect(await announced.renewEncryption()).toEqual({ renewed: 0, unreadable: 0 });
    const changed = await as(NEW, OLD);
    for (const one of [announced, changed]) {
      expect(await secretsOf(one)).toEqual(secrets);
      expect(await one.regulatorSession.active()).toMatchObject({ token: 'token' });
    }
    expect(await idsIn(url)).toEqual([idOf(OLD)]);
    expect(await changed.renewEncryption()).toEqual({ renewed: 3, unreadable: 0 });
    expect(await idsIn(url)).toEqual([idOf(NEW)]);
    expect(await changed.renewEncryption()).toEqual({ renewed: 0, unreadable: 0 });
    expect(await secretsOf(announced)).toEqual(secrets);

    const after = await as(NEW);
    expect(await secretsOf(after)).toEqual(secrets);
    expect(await after.regulatorSession.active()).toMatchObject({ token: 'token' });
    await expect(secretsOf(before)).rejects.toThrow(/ENCRYPTION_SECRET lacks the secret/);
    expect(await before.renewEncryption()).toEqual({ renewed: 0, unreadable: 3 });
    await after.regulatorSession.expire('token', 'test');
    expect((await after.regulatorSession.state()).status).toBe('expired');
  });

  it('lets a session that the old secret has encrypted end and be renewed', async () => {
    const { url } = await openTestDatabase();
    const as = (...encryptionSecrets: string[]) => openAgain(url, { encryptionSecrets });
    await (await as(OLD)).regulatorSession.storeActive('first', expiresAt, 'test');
    const { regulatorSession } = await as(NEW, OLD);
    await regulatorSession.storeRenewed('first', { token: 'second', expiresAt }, 'test');
    expect(await regulatorSession.active()).toMatchObject({ token: 'second' });
    expect(await idsIn(url)).toEqual([idOf(NEW)]);
  });

  it('of a webhook encrypts its previous secret for its new column', async () => {
    const { url, database } = await openTestDatabase();
    const first = await database.webhooks.register('client', null, 'test');
    const rotated = await database.webhooks.rotate('client', 'test');
    expect(await secretsOf(database)).toEqual([rotated?.secret, first]);
    await runSql(url, 'update webhook set encrypted_secret = encrypted_previous_secret');
    await expect(secretsOf(database)).rejects.toThrow(/cannot be decrypted/);
  });
});
