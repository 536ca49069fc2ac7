/**
 * `npm run prove -- large`: 10,000 products (or LARGE_IMPORT_PRODUCTS) through the whole service, every step of each
 * sent to the regulator. Prints what it measured; fails when anything is near a limit, missing or done twice.
 */
import { Console } from 'node:console';
import { expect, it } from 'vitest';
import { BATCH_SIZE } from '../../src/domain/package-import.ts';
import { startStack } from '../support/starters/stack.ts';
import { expectFarFromLimits, expectWhole } from './expectations.ts';
import { type LargeImportFigures, runLargeImport } from './large-import.ts';

const PRODUCTS = Number(process.env.LARGE_IMPORT_PRODUCTS ?? 10_000);
/** A second per product: several times what two idle cores take. */
const PATIENCE_MS = 60_000 + PRODUCTS * 1_000;

const stack = await startStack();

it(`${PRODUCTS} products`, { timeout: PATIENCE_MS + 600_000 }, async () => {
  expect(PRODUCTS).toBeGreaterThan(BATCH_SIZE);
  const figures = await runLargeImport(stack, PRODUCTS, PATIENCE_MS);
  print(figures);
  expectWhole(figures, PRODUCTS);
  expectFarFromLimits(figures);
});

const screen = new Console(process.stdout);

function print(figures: LargeImportFigures): void {
  const { imports, batches, inserts, submissions, ...whole } = figures;
  const { answer, ...plain } = whole;
  const perSecond = figures.products / figures.endedAfterSeconds;
  screen.table({ ...plain, ...answer, ...submissions, 'products per second': perSecond });
  screen.table({
    'package-import': imports,
    'package-import-batch': batches,
    'regulator-insert': inserts,
  });
}
