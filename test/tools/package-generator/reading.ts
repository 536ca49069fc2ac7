/** Reads generated files with the real readers and compares the results with the expectations. */
import { expect } from 'vitest';
import { reasonsText, reasonText } from '../../../src/contract/reasons.ts';
import { parseProduct } from '../../../src/products/parse-product.ts';
import type { Expectation } from '../../support/generator-oracle.ts';

interface Read {
  bytes: Buffer;
  expectation: Expectation;
}

/** Fails unless the reader of products returns the generator's expectation. */
export function expectAsGenerated({ bytes, expectation }: Read): void {
  const { fault, styles, values } = expectation;
  const what = `fault ${fault ?? 'none'}, styles ${styles.join(' ') || 'none'}, product ${expectation.productId}`;
  const result = parseProduct(bytes);
  if (!values) {
    expect(result, what).toMatchObject({ ok: false, productId: expectation.productId });
    expect(result.ok ? '' : reasonsText(result.reasons), what).toMatch(expectation.reason ?? /^$/);
    return;
  }
  if (!result.ok) throw new Error(`${what}: refused, ${reasonsText(result.reasons)}`);
  const { product } = result;
  expect(product, what).toMatchObject({
    productId: expectation.productId,
    productTypeCode: expectation.productTypeCode,
    submissionTypeCode: expectation.submissionTypeCode,
  });
  expect(product.sections, what).toEqual(values().sections);
  const referred = product.attachments.map(({ attachmentId }) => attachmentId);
  expect([...new Set(referred)].sort(), what).toEqual(values().attachmentIds.toSorted());
  if (!expectation.warns) expect(product.warnings, what).toEqual([]);
  else
    expect(product.warnings.map(reasonText), what).toContainEqual(
      expect.stringMatching(expectation.warning ?? /./),
    );
}
