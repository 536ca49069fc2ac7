/** All notes of a package together are bounded, however many files it has. */
import { expect, it } from 'vitest';
import { createNoteBudget } from '../../../activities/extraction/note-budget.ts';
import type { Judgement } from '../../../activities/extraction/verdict.ts';
import { bytesOf } from '../../../src/domain/notes.ts';
import { createdFile } from '../../support/database.ts';
import { newProductId } from '../../support/product-xml.ts';

const LIMIT = 100_000;
const warnings = Array.from({ length: 100 }, (_, n) => `${n} ${'w'.repeat(100)}`);

function created(notes: string[]): Judgement {
  const file = createdFile(newProductId());
  const product = { ...file.product, warnings: notes };
  return { verdict: 'new', outcome: { ...file, product }, product, changedSections: [], reason: null };
}

function refused(reason: string): Judgement {
  const entry = { entryIndex: 0, entryPath: 'root/a.xml', xmlFile: 'a.xml' };
  const outcome = { ...entry, outcome: 'failed' as const, reason, productId: null };
  return { verdict: 'refused', outcome, product: null, changedSections: [], reason };
}

function notesOf({ outcome }: Judgement): string[] {
  return outcome.outcome === 'created' ? outcome.product.warnings : [outcome.reason];
}

it('keeps warnings and reasons while there is room, then counts or shortens them', () => {
  const within = createNoteBudget(0, LIMIT);
  const judged = Array.from({ length: 200 }, (_, n) =>
    within(n % 2 === 0 ? created(warnings) : refused('r'.repeat(9000))),
  );
  expect(notesOf(judged[0] as Judgement)).toEqual(warnings);
  expect(notesOf(judged[1] as Judgement)).toEqual(['r'.repeat(9000)]);
  expect(notesOf(judged[198] as Judgement)).toEqual([
    '100 warnings, not kept: the package has more than 100000 bytes of them',
  ]);
  expect(notesOf(judged[199] as Judgement)).toEqual([`${'r'.repeat(200)}…`]);
  const most = LIMIT + judged.length * 210;
  expect(bytesOf(judged.flatMap(notesOf))).toBeLessThan(most);
});

it('leaves the others as they are: a product without warnings has none', () => {
  const within = createNoteBudget(LIMIT, LIMIT);
  expect(notesOf(within(created([])))).toEqual([]);
});

it('counts what an earlier try has kept', () => {
  const within = createNoteBudget(LIMIT - 10, LIMIT);
  expect(notesOf(within(created(warnings)))).toHaveLength(1);
});

it('shows the same in the report of a dry run as is recorded', () => {
  const { product, outcome } = createNoteBudget(LIMIT, LIMIT)(created(warnings));
  expect(outcome.outcome === 'created' && outcome.product.warnings).toEqual(product?.warnings);
});
