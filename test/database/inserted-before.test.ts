/**
 * The look-up of known products returns little of an inserted submission, within bounds, and nothing of another
 * tenant's.
 */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/domain/product.ts';
import { createdFile, newImport, openTestDatabase } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';
import { runSql } from '../support/servers.ts';

const { database, url } = await openTestDatabase();

const field = (value: Json) => ({ value, confidential: true });
const presentation = (number: string) => ({
  NationalMarket: field('SE'),
  BrandName: field('Brand'),
  LaunchDate: field('2026-01-01'),
  WithdrawalIndication: field(true),
  ProductNumber: field(number),
  AnnualSalesDataList: [{ Year: field('2025') }],
});

interface Options {
  clientId?: string;
  type?: number;
  presentations?: Json;
  isInserted?: boolean;
}

/** Records a submission of the product in an import of its own. @returns the import's id */
async function submitted(
  productId: string,
  { clientId = 'client', type = 1, presentations = [], isInserted = true }: Options = {},
): Promise<number> {
  const importId = await newImport(database, { clientId });
  const file = createdFile(productId);
  const sections = { ...file.product.sections, product_presentation: { Presentations: presentations } };
  const product = { ...file.product, submissionTypeCode: type, sections };
  await database.reading.record(importId, null, [{ ...file, product }]);
  if (isInserted)
    await runSql(
      url,
      `update submission set status = 'regulator_inserted', case_id = 'case of ${importId}', created_at = '2024-06-01',
              updated_at = '2026-03-03T23:59:59Z' where zip_import_id = ${importId}`,
    );
  return importId;
}

async function known(productId: string, tenant = 'client', beforeImport: number | null = null) {
  const latest = await database.productHistory.latestSubmissions([productId], { tenant, beforeImport });
  return latest.get(productId)?.inserted;
}

describe('the last inserted submission of a product', () => {
  it('is the case, the day, and what identifies its presentations', async () => {
    const productId = newProductId();
    await submitted(productId);
    const last = await submitted(productId, {
      type: 5,
      presentations: [presentation('1'), presentation('2')],
    });
    await submitted(productId, { isInserted: false });
    const { LaunchDate, AnnualSalesDataList, ...identifying } = presentation('1');
    expect(await known(productId)).toEqual({
      caseId: `case of ${last}`,
      on: '2026-03-03',
      firstYear: 2024,
      presentations: [identifying, { ...identifying, ProductNumber: field('2') }],
    });
  });

  it('is null without one, and does not count the import that is being read', async () => {
    const productId = newProductId();
    await submitted(productId, { isInserted: false });
    const importId = await submitted(productId);
    expect(await known(productId)).not.toBeNull();
    expect(await known(productId, 'client', importId)).toBeNull();
  });

  it('has no first year unless the tenant has inserted a new product', async () => {
    const productId = newProductId();
    await submitted(productId, { clientId: 'other' });
    await submitted(productId, { type: 5 });
    expect(await known(productId)).toMatchObject({ on: '2026-03-03', firstYear: null });
  });

  it('of another tenant only exists', async () => {
    const productId = newProductId();
    await submitted(productId, { presentations: [presentation('1')] });
    const nothing = { caseId: null, on: null, firstYear: null, presentations: null };
    expect(await known(productId, 'other')).toEqual(nothing);
  });

  it.each([
    ['many presentations are left out', Array.from({ length: 1_000 }, (_, n) => presentation(`${n}`)), null],
    ['a long name is left out', [presentation('x'.repeat(128 * 1024))], null],
    [
      'sales of many years are no reason',
      [{ ...presentation('1'), AnnualSalesDataList: Array(5_000).fill({ Year: field('2025') }) }],
      expect.any(Array),
    ],
  ] satisfies [string, Json, unknown][])('%s', async (_title, presentations, expected) => {
    const productId = newProductId();
    await submitted(productId, { presentations });
    expect((await known(productId))?.presentations).toEqual(expected);
  });
});
