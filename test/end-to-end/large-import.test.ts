/**
 * 1,000 products in one package: batches, answers and histories far below Temporal's limits, read from the
 * real histories. Most inserts find their steps done: six steps of 1,000 products are six times the work and
 * show nothing new. `npm run prove -- large` sends them all.
 */
import { describe, it } from 'vitest';
import { expectFarFromLimits, expectWhole } from '../large/expectations.ts';
import { runLargeImport } from '../large/large-import.ts';
import { startStack } from '../support/starters/stack.ts';

const PRODUCTS = 1_000;
/** One of so many products is sent to the regulator. */
const SENT_EVERY = 20;
const PATIENCE_MS = 480_000;

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
const figures = await runLargeImport(stack, PRODUCTS, PATIENCE_MS);

describe('an import of 1,000 products', () => {
  it('is answered and ends with every product queued and inserted once, and one mail', () => {
    expectWhole(figures, PRODUCTS / SENT_EVERY);
  });

  it('stays far below the limits of Temporal', () => {
    expectFarFromLimits(figures);
  });
});
