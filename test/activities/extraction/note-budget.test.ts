/** All notes of a package together are bounded, however many files it has. */
import { expect, it } from 'vitest';
import { createNoteBudget } from '../../../activities/extraction/note-budget.ts';
import type { Judgement } from '../../../activities/extraction/verdict.ts';
import { plainReason } from '../../../src/contract/reasons.ts';
import type { Reason } from '../../../src/contract/types.ts';
import { bytesOf } from '../../../src/domain/notes.ts';
import { createdFile } from '../../support/database.ts';
import { newProductId } from '../../support/product-xml.ts';

const LIMIT = 100_000;
const warnings = Array.from({ length: 100 }, (_, n) => plainReason(`${n} ${'w'.repeat(100)}`));
const long = plainReason('r'.repeat(900));

function created(notes: Reason[]): Judgement {
  const file = createdFile(newProductId());
  const product = { ...file.product, warnings: notes };
  return { verdict: 'new', outcome: { ...file, product }, product, changedSections: [], reasons: [] };
}

function refused(reasons: Reason[]): Judgement {
  const entry = { entryIndex: 0, entryPath: 'root/a.xml', xmlFile: 'a.xml' };
  const outcome = { ...entry, outcome: 'failed' as const, reasons, productId: null };
  return { verdict: 'refused', outcome, product: null, changedSections: [], reasons };
}

function notesOf({ outcome }: Judgement): Reason[] {
  return outcome.outcome === 'created' ? outcome.product.warnings : outcome.reasons;
}

it('warnings and reasons are kept up to the limit, then counted or shortened', () => {
  const within = createNoteBudget(0, LIMIT);
  const judged = Array.from({ length: 200 }, (_, n) =>
    within(n % 2 === 0 ? created(warnings) : refused(n % 4 === 1 ? [long] : [long, long, long])),
  );
  expect(notesOf(judged[0] as Judgement)).toEqual(warnings);
  expect(notesOf(judged[1] as Judgement)).toEqual([long]);
  expect(notesOf(judged[3] as Judgement)).toEqual([long, long, long]);
  expect(notesOf(judged[198] as Judgement)).toEqual([
    plainReason('100 warnings, not kept: the package has more than 100000 bytes of them'),
  ]);
  const short = plainReason(`${'r'.repeat(200)}…`);
  expect(notesOf(judged[197] as Judgement)).toEqual([short]);
  expect(notesOf(judged[199] as Judgement)).toEqual([short, plainReason('… and 2 more')]);
  const most = LIMIT + judged.length * 330;
  expect(bytesOf(judged.flatMap(notesOf))).toBeLessThan(most);
});

it('a product without warnings keeps none', () => {
  const within = createNoteBudget(LIMIT, LIMIT);
  expect(notesOf(within(created([])))).toEqual([]);
});

it('notes that an earlier try kept are counted', () => {
  const within = createNoteBudget(LIMIT - 10, LIMIT);
  expect(notesOf(within(created(warnings)))).toHaveLength(1);
});

it('a dry run reports the same notes as an import records', () => {
  const { product, outcome } = createNoteBudget(LIMIT, LIMIT)(created(warnings));
  expect(outcome.outcome === 'created' && outcome.product.warnings).toEqual(product?.warnings);
});
