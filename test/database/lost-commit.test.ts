/** The answer to a COMMIT is lost: the service can find out whether the import was stored. */
import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect as connectTo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockNewImport } from '../../src/database/coordination/locks.ts';
import { type Database, openDatabase } from '../../src/database/index.ts';
import { connect } from '../../src/database/orm.ts';
import { openTestDatabase } from '../support/database.ts';

let database: Database;
let url: string;
/** The same database behind a proxy that can cut the connection. */
let behindLine: Database;
let line: Server;
/** Cuts the connection at a COMMIT: before it reaches the server, or after the server has answered. */
let cut: 'before' | 'after' | null = null;

beforeAll(async () => {
  ({ database, url } = await openTestDatabase());
  const target = new URL(url);
  line = createServer((client) => {
    const server = connectTo(Number(target.port), target.hostname);
    let ending = false;
    const end = () => {
      client.destroy();
      server.destroy();
    };
    client.on('error', end).on('close', end);
    server.on('error', end).on('close', end);
    client.on('data', (bytes) => {
      const isCommit = cut !== null && /commit/i.test(bytes.toString('latin1'));
      if (isCommit && cut === 'before') return end();
      ending ||= isCommit;
      server.write(bytes);
    });
    server.on('data', (bytes) => (ending ? end() : client.write(bytes)));
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  const throughLine = new URL(url);
  throughLine.port = String((line.address() as AddressInfo).port);
  behindLine = await openDatabase({
    url: throughLine.href,
    poolSize: 1,
    encryptionSecret: 'a secret of tests',
  });
});
afterAll(async () => {
  await behindLine.close();
  await database.close();
  line.close();
});

const values = (uuid: string) => ({
  uuid,
  clientId: 'client',
  comment: null,
  fileName: 'package.zip',
  storageKey: `packages/${uuid}.zip`,
  zipFilePath: `/archive/${uuid}.zip`,
  sizeBytes: 1,
  uploadedAt: new Date(),
  notificationEmail: null,
});

describe('an import whose COMMIT gets no answer', () => {
  it.each(['after', 'before', 'after', 'before'] as const)('because the line broke %s it', async (when) => {
    const uuid = randomUUID();
    cut = when;
    await expect(behindLine.imports.create(values(uuid))).rejects.toThrow();
    cut = null;
    const found = await behindLine.imports.findSettled(uuid);
    expect(found?.uuid ?? null).toBe(when === 'after' ? uuid : null);
  });

  it('is waited for where its transaction is still at work', async () => {
    const uuid = randomUUID();
    const other = await connect(url);
    let found: ReturnType<Database['imports']['findSettled']> | undefined;
    let answered = false;
    await other.em.fork().transactional(async (em) => {
      await lockNewImport(em, uuid);
      found = database.imports.findSettled(uuid);
      void found.then(() => {
        answered = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(answered).toBe(false);
    });
    expect(await found).toBeNull();
    await other.close(true);
  });
});
