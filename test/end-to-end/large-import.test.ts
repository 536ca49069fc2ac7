/**
 * 1,000 products in one package: batches, answers and histories far below Temporal's limits, read from the
 * real histories. Most inserts find their steps done: six steps of 1,000 products are six times the work and
 * show nothing new. `npm run prove -- large` sends every step of 10,000 products, or of LARGE_IMPORT_PRODUCTS.
 */
import { Console } from 'node:console';
import { describe, expect, it } from 'vitest';
import { BATCH_SIZE } from '../../src/domain/package-import.ts';
import { runLargeImport } from '../large/large-import.ts';
import { startStack } from '../support/starters/stack.ts';

const asked = Number(process.env.LARGE_IMPORT_PRODUCTS ?? 0);
const PRODUCTS = asked || 1_000;
/** One of so many products is sent to the regulator. */
const SENT_EVERY = asked ? 1 : 20;
/** A second per product: several times what two idle cores take. */
const MAX_WAIT_MS = 480_000 + asked * 1_000;
/** A small part of what Temporal allows: 51,200 events, 50 MB, 2 MB a payload, 2,000 pending children. */
const FAR = { events: 10_000, bytes: 5_000_000, payloadBytes: 64_000 };

const stack = await startStack();
await stack.sql(
  `create function steps_are_done() returns trigger language plpgsql as $$ begin
     new.init_validate := true; new.product_details := true; new.product_presentation := true;
     new.design := true; new.ingredients := true; new.emission := true;
     return new;
   end $$`,
);
await stack.sql(
  `create trigger steps_are_done before insert on submission for each row
     when (new.entry_index % ${SENT_EVERY} <> 0) execute function steps_are_done()`,
);
const { submissions, answer, imports, batches, inserts, ...others } = await runLargeImport(
  stack,
  PRODUCTS,
  MAX_WAIT_MS,
);

if (asked) {
  const screen = new Console(process.stdout);
  const perSecond = PRODUCTS / others.endedAfterSeconds;
  screen.table({ ...others, ...answer, ...submissions, 'products per second': perSecond });
  screen.table({ 'package-import': imports, 'package-import-batch': batches, 'regulator-insert': inserts });
}

describe('a large import', () => {
  it('is answered and ends with every product queued and inserted once, and one mail', () => {
    expect(PRODUCTS).toBeGreaterThan(BATCH_SIZE);
    const runs = Math.ceil(PRODUCTS / BATCH_SIZE);
    expect(answer).toEqual({ status: 200, created: PRODUCTS, queued: PRODUCTS });
    expect(submissions).toEqual({ regulator_inserted: PRODUCTS });
    expect(others).toMatchObject({ cases: PRODUCTS / SENT_EVERY, repeatedCases: 0, mails: 1 });
    expect(imports).toMatchObject({ runs: 1, completed: 1 });
    expect(batches).toMatchObject({ runs, completed: runs });
    expect(inserts).toMatchObject({ runs: PRODUCTS, completed: PRODUCTS });
  });

  it('stays far below the limits of Temporal', () => {
    for (const { events, bytes, payloadBytes } of [imports, batches, inserts]) {
      // A figure of zero would mean that nothing was measured.
      for (const figure of [events, bytes, payloadBytes]) expect(figure).toBeGreaterThan(0);
      expect(events).toBeLessThan(FAR.events);
      expect(bytes).toBeLessThan(FAR.bytes);
      expect(payloadBytes).toBeLessThan(FAR.payloadBytes);
    }
    expect(batches.pendingChildren).toBeGreaterThan(1);
    expect(batches.pendingChildren).toBeLessThanOrEqual(BATCH_SIZE);
    expect(imports.pendingChildren).toBeLessThanOrEqual(BATCH_SIZE);
    expect(inserts.pendingChildren).toBe(0);
  });
});
