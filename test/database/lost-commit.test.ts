/** The answer to a COMMIT is lost: the service can find out whether the import was stored. */

import { randomUUID } from 'node:crypto';
import { connect as connectTo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { lockNewImport } from '../../src/database/coordination/locks.ts';
import type { Database } from '../../src/database/index.ts';
import { connect } from '../../src/database/orm.ts';
import { newImport, openAgain, openTestDatabase } from '../support/database.ts';
import { listenLocally } from '../support/local-server.ts';

/** Cuts the connection at a COMMIT: before it reaches the server, or after the server has answered. */
let cut: 'before' | 'after' | null = null;

const { database, url } = await openTestDatabase();
const target = new URL(url);
const line = createServer((client) => {
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
const throughLine = new URL(url);
throughLine.port = String(await listenLocally(line));
/** The same database behind a proxy that can cut the connection. */
const behindLine = await openAgain(throughLine.href, { poolSize: 1 });

describe('an import whose COMMIT gets no answer', () => {
  it.each(['after', 'before', 'after', 'before'] as const)(
    'because the connection broke %s it',
    async (when) => {
      const uuid = randomUUID();
      cut = when;
      await expect(newImport(behindLine, { uuid })).rejects.toThrow();
      cut = null;
      const found = await behindLine.imports.findSettled(uuid);
      expect(found?.uuid ?? null).toBe(when === 'after' ? uuid : null);
    },
  );

  it('is awaited while its transaction still runs', async () => {
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
