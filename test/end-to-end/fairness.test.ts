/**
 * One product behind many (decision §fairness-keys): behind another client's import, behind a large import of
 * its own client, behind another client's many small ones. The assertion counts the products that the others
 * have finished at its end, and uses no clock.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { packageOf } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { tokenOf } from '../support/tokens.ts';
import { upload } from '../support/upload.ts';

const MANY = 240;
const MANY_IMPORTS = 40;
const LATENCY_MS = 150;
/** Keeps the many inserts running until all are uploaded. */
const LONGER_LATENCY_MS = 600;
const MAX_WAIT_MS = 240_000;

vi.setConfig({ testTimeout: 300_000 });

const stack = await startStack({
  env: { CLIENT_UPLOADS_AT_ONCE: '0', REGULATOR_CONCURRENCY: '4' },
  change: ({ gateway }) => ({ gateway: { ...gateway, uploadsAtOnce: 100 } }),
});
beforeEach(() => {
  stack.simulator.simulation.behaviour.latency_ms = LATENCY_MS;
});

async function importAs(clientId: string, products: number): Promise<number> {
  const token = await tokenOf(stack, clientId);
  const answer = await upload(stack, await packageOf(...Array(products).fill({})), {
    token,
    email: 'person@company.example',
  });
  expect([answer.status, answer.body.data.queue.queued_count]).toEqual([200, products]);
  return answer.body.data.id;
}

const ended = (importId: number) =>
  eventually(async () => (await stack.database.imports.find(importId))?.completedAt, MAX_WAIT_MS);

async function inserted(importIds: readonly number[]): Promise<number> {
  return stack.count(`submission
     where status = 'regulator_inserted' and zip_import_id in (${importIds.join(',')})`);
}

describe('a single product ends while most other products wait', () => {
  it.each([
    ['of another client', 'other-client'],
    ['of the client itself', 'large-client'],
  ])('%s, behind a large import', async (_whose, clientId) => {
    const large = await importAs('large-client', MANY);
    const before = await inserted([large]);
    await ended(await importAs(clientId, 1));
    const meanwhile = (await inserted([large])) - before;
    const uuid = (await stack.database.imports.find(large))?.uuid ?? '';
    await stack.imports.parent(uuid).cancel();
    await ended(large);
    expect(meanwhile).toBeLessThan(MANY / 2);
  });

  it('behind many imports of another client', async () => {
    stack.simulator.simulation.behaviour.latency_ms = LONGER_LATENCY_MS;
    const small = await Promise.all(Array.from({ length: MANY_IMPORTS }, () => importAs('busy-client', 1)));
    const before = await inserted(small);
    await ended(await importAs('other-client', 1));
    const meanwhile = (await inserted(small)) - before;
    stack.imports.restoreRegulator();
    for (const importId of small) await ended(importId);
    expect(meanwhile).toBeLessThan(MANY_IMPORTS / 2);
  });
});
