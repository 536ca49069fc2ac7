/** Invariants of every package, for any mutation. */
import assert from 'node:assert/strict';
import { PRODUCT_ID_PATTERN } from '../../src/contract/limits.ts';
import { reasonsText, reasonText } from '../../src/contract/reasons.ts';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import type { FileOutcome } from '../../src/database/repositories/extraction.ts';
import { InvalidPackage } from '../../src/domain/client-errors.ts';
import { UUID_PATTERN } from '../../src/domain/ids.ts';
import { PRODUCT_TYPES } from '../../src/products/code-lists.ts';
import type { PackageReading } from './reading.ts';

/** Hundred problems of some three hundred characters. */
const MAX_REASON = 50_000;

/** @throws AssertionError that says which invariant does not hold */
export function requireInvariants(reading: PackageReading | InvalidPackage): void {
  if (reading instanceof InvalidPackage) {
    assert.match(reading.message, /^Invalid submission ZIP: \S/);
    requireText(reading.message, 1_000);
    return;
  }
  const { files, outcomes, attachments, submitters, unreadable } = reading;
  const products = files.filter(({ kind }) => kind === 'product' || kind === 'tobacco-product');
  assert.deepEqual(
    outcomes.map(({ entryPath }) => entryPath),
    products.map(({ path }) => path),
    'every product file has one outcome, in archive order',
  );
  assert.equal(attachments.length + submitters.length + unreadable.length, files.length - products.length);
  const created = outcomes.filter(({ outcome }) => outcome === 'created');
  assert.equal(new Set(created.map(productIdOf)).size, created.length, 'no product is created twice');
  for (const outcome of outcomes) requireOutcome(outcome);
  for (const { reason } of unreadable) requireText(reason, MAX_REASON);
  for (const { attachmentId, fileName, contentType } of attachments) {
    assert.match(attachmentId, UUID_PATTERN);
    requireStorable([fileName, contentType]);
  }
  for (const { submitterId, details } of submitters) {
    assert.match(submitterId, /^[0-9]{5}$/);
    requireStorable(details);
  }
}

function requireOutcome(outcome: FileOutcome): void {
  requireStorable(outcome.entryPath);
  assert.match(outcome.xmlFile, /\.xml$/i);
  assert(!outcome.xmlFile.includes('/'));
  if (outcome.outcome !== 'created') {
    requireText(reasonsText(outcome.reasons), MAX_REASON);
    requireStorable(outcome.reasons);
    if (outcome.productId !== null) assert.match(outcome.productId, PRODUCT_ID_PATTERN);
    return;
  }
  const { product, contentHash } = outcome;
  assert.match(product.productId, PRODUCT_ID_PATTERN);
  assert.equal(product.productType, PRODUCT_TYPES[product.productTypeCode]);
  assert.match(contentHash, /^[0-9a-f]{64}$/);
  assert.deepEqual(Object.keys(product.sections).sort(), [...INSERT_STEPS].sort());
  assert.deepEqual(JSON.parse(JSON.stringify(product.sections)), product.sections, 'sections are JSON');
  requireStorable(product.sections);
  for (const warning of product.warnings) requireText(reasonText(warning), 1_500);
  requireStorable(product.warnings);
  for (const { attachmentId } of product.attachments) assert.match(attachmentId, UUID_PATTERN);
}

function productIdOf(outcome: FileOutcome): string | null {
  return outcome.outcome === 'created' ? outcome.product.productId : outcome.productId;
}

/** Requires a text for people: not empty, bounded, without control characters for a terminal or a mail program. */
function requireText(text: string, maxLength: number): void {
  assert(text.trim() !== '' && text.length <= maxLength, `a message of ${text.length} characters`);
  assert.doesNotMatch(text, /[\p{Cc}\p{Cs}]/u);
}

/** PostgreSQL keeps neither NUL nor half characters, in text or in JSON. */
function requireStorable(value: unknown): void {
  const json = JSON.stringify(value);
  assert(!json.includes('\\u0000') && !/\\ud[89a-f]/.test(json), 'text that PostgreSQL cannot keep');
}
