/// <reference types="node" />
/** Parses reasons that the service itself writes. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { PRODUCT_CHECKS, sourceOf, warnsWhen } from '../../src/contract/product-checks.ts';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { RegulatorRejection } from '../../src/domain/errors.ts';
import { parseProduct } from '../../src/products/parse-product.ts';
import { productXml } from '../../test/support/product-xml.ts';
import { reasonOf, reasonsOfFile, reasonsOfSubmission, STEPS } from '../screens/import/reasons.ts';

const parsed = (edit: (xml: string) => string) => {
  const result = parseProduct(Buffer.from(productXml({ productId: '99962-26-00001', edit })));
  return result.ok ? result.product.warnings : result.reason;
};

it('tells the problems of a file apart, whatever its values hold', () => {
  const reason = parsed((xml) =>
    xml
      .replace('>7<', '>77; A/b "c" <')
      .replace(/<SubmissionType.*/, '')
      .replace(/<Design>[\s\S]*<\/Design>/, ''),
  ) as string;
  expect(reasonsOfFile(reason)).toEqual([
    { path: 'SubmissionType', text: 'is missing', line: null, check: null, step: null },
    {
      path: 'Product/ProductType',
      line: 14,
      check: null,
      step: null,
      text: '"77; A/b "c"" is unknown; expected 1-9',
    },
    { path: 'Product/Design', text: 'is missing', line: null, check: null, step: null },
  ]);
});

it.each([
  [(xml: string) => xml.replace('</Product>', ''), 53],
  [(xml: string) => xml.replaceAll('EcigProductSubmission', 'Other'), 2],
])('knows the line of a file that is no product at all', (edit, line) => {
  const [reason, ...more] = reasonsOfFile(parsed(edit) as string);
  expect(more).toEqual([]);
  expect(reason).toMatchObject({ path: null, line });
  expect(reason?.text).not.toContain('(line');
});

it('knows the check that a warning is of', () => {
  const [warning = ''] = (parsed((xml) => xml.replace('56-81-5', '56-81-4')) as string[]).filter((one) =>
    one.includes('CasNumber'),
  );
  expect(reasonOf(warning)).toEqual({
    path: 'Product/Ingredients/Ingredient[1]/CasNumber',
    text: '"56-81-4" is no CAS number: its check digit is wrong',
    line: null,
    check: { name: 'cas_check_digit', source: sourceOf('cas_check_digit') },
    step: null,
  });
});

it('knows the section that the regulator has rejected', () => {
  const { message } = new RegulatorRejection(['design: too heavy; too large', 'emission: none']);
  expect(reasonsOfSubmission(message)).toMatchObject([
    { step: 'design', path: 'Product/Design', text: 'too heavy; too large' },
    { step: 'emission', text: 'none' },
  ]);
  expect(reasonsOfSubmission('Cancelled by client:x')).toMatchObject([
    { step: null, path: null, text: 'Cancelled by client:x' },
  ]);
});

it('has the steps of the service, in their order', () => {
  expect(STEPS.map(({ step }) => step)).toEqual(INSERT_STEPS);
});

it('explains every check in the words of its documentation', async () => {
  const page = await readFile(new URL('../../docs/product-checks.md', import.meta.url), 'utf8');
  for (const name of PRODUCT_CHECKS)
    expect(page.replaceAll('`', '')).toContain(`| ${name} | ${warnsWhen(name)} |`);
});
