/** Products are judged against what was inserted of them before: in an import as in its dry run, for their tenant. */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { reasonText } from '../../src/contract/reasons.ts';
import type { DryRunProduct, Reason } from '../../src/contract/types.ts';
import { OTHER_COMPANY } from '../../src/trial-parts/identity-service/identity-service.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { download, dryRun, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack();

interface Product {
  productId: string;
  type?: number;
  description?: string;
  markets?: string[];
  withdrawn?: string[];
  brand?: string;
}

function xmlOf({
  productId,
  type = 1,
  description = 'A bottle',
  markets = ['SE'],
  withdrawn = [],
  brand,
}: Product): string {
  const presentation = (one: string, market: string) =>
    one
      .replace('>SE<', `>${market}<`)
      .replace(
        'WithdrawalIndication confidential="false">false',
        `WithdrawalIndication confidential="false">${withdrawn.includes(market)}`,
      );
  return productXml({
    productId,
    ...(brand !== undefined && { brand }),
    edit: (xml) =>
      xml
        .replace('<SubmissionType confidential="false">1<', `<SubmissionType confidential="false">${type}<`)
        .replace('A bottle', description)
        .replace(/<Presentation>.*<\/Presentation>/s, (one) =>
          markets.map((market) => presentation(one, market)).join(''),
        ),
  });
}

const packageOf = (...products: Product[]) =>
  zipOf(Object.fromEntries(products.map((one, n) => [productPath(`${n}`), xmlOf(one)])));

/** Imports products, and waits for the regulator. @returns the report */
async function imported(...products: Product[]) {
  return finished(stack, (await upload(stack, await packageOf(...products))).body.data.id);
}

async function judged(product: Product, token?: string): Promise<DryRunProduct> {
  const answer = await dryRun(stack, await packageOf(product), { token });
  const [first] = answer.body.data.products;
  if (first === undefined) throw new Error('no product');
  return first;
}

/** The findings against history, as texts. The products refer to a file that nobody has sent. */
const findings = (reasons: readonly Reason[] = []) =>
  reasons.filter(({ check }) => check !== null).map(reasonText);

const today = () => new Date().toISOString().slice(0, 10);

describe('a product that was inserted before', () => {
  it('under a type for new products is found in answer, report, table, mail and dry run, with the type that fits', async () => {
    const productId = newProductId();
    const [first] = (await imported({ productId })).submissions;
    expect(findings(first?.warnings)).toEqual([]);
    const again = { productId, description: 'A can' };
    const expected = [
      `SubmissionType "1" needs a new product ID, but the product was inserted on ${today()} as case ${first?.case_id}. Changed since: design. Fitting: type 5 (Other update under the same product ID); if the modification is substantial, type 2 (Substantial modification leading to a new product ID) (SubmissionType, known_product)`,
    ];
    const checked = await judged(again);
    expect(checked).toMatchObject({ outcome: 'changed', changed_sections: ['design'] });
    expect(findings(checked.warnings)).toEqual(expected);
    const answer = await upload(stack, await packageOf(again), { email: 'you@company.example' });
    const { data } = answer.body;
    expect(findings(data.submissions[0]?.warnings)).toEqual(expected);
    expect(findings((await finished(stack, data.id)).submissions[0]?.warnings)).toEqual(expected);
    const csv = await download(stack, `/regulator/package-imports/${data.id}/products.csv`);
    expect(await csv.text()).toContain('known_product');
    const [mail] = await stack.mailbox.store.list();
    expect(mail?.text).toContain('needs a new product ID');
  });

  it('is not judged while it is unchanged', async () => {
    const productId = newProductId();
    await imported({ productId });
    expect(await judged({ productId })).toMatchObject({ outcome: 'unchanged' });
    expect(findings((await judged({ productId })).warnings)).toEqual([]);
  });

  it('is compared with its last inserted presentations, without its raw XML', async () => {
    const productId = newProductId();
    await imported({ productId, markets: ['SE', 'FR'] });
    await imported({ productId, type: 4, markets: ['SE', 'FR'], withdrawn: ['FR'] });
    await stack.sql(`update submission set raw_xml = null where product_id = '${productId}'`);
    const checksOf = async (product: Omit<Product, 'productId'>) =>
      (await judged({ productId, ...product })).warnings.flatMap(({ check }) => check ?? []);
    expect(
      await checksOf({ type: 3, markets: ['SE', 'FR'], withdrawn: ['FR'], description: 'A can' }),
    ).toEqual(['added_presentation']);
    expect(await checksOf({ type: 3, markets: ['SE', 'FR', 'AT'], withdrawn: ['FR'] })).toEqual([]);
    expect(
      await checksOf({ type: 4, markets: ['SE', 'FR'], withdrawn: ['FR'], description: 'A can' }),
    ).toEqual(['withdrawn_presentation']);
    expect(await checksOf({ type: 5, markets: ['FR'], withdrawn: ['FR'] })).toEqual([
      'vanished_presentation',
    ]);
    expect(await checksOf({ type: 5, markets: ['SE', 'FR'] })).toEqual(['returned_presentation']);
  });

  it('has the year of its first submission in its ID', async () => {
    const productId = '99962-19-00001';
    const [first] = (await imported({ productId })).submissions;
    expect(findings(first?.warnings)).toEqual([expect.stringContaining('product_id_year')]);
    const later = await judged({ productId, type: 5, description: 'A can' });
    expect(findings(later.warnings)).toEqual([
      `ProductID ${productId} has the year 19, but the first submission is of ${today().slice(0, 4)}; expected ${today().slice(2, 4)} (Product/ProductID, product_id_year)`,
    ]);
  });

  it('by another tenant is known to exist, and no more', async () => {
    const productId = newProductId();
    const [first] = (await imported({ productId, brand: 'Secret' })).submissions;
    const token = await stack.token(OTHER_COMPANY);
    const checked = await judged({ productId, brand: 'Ours' }, token);
    expect(findings(checked.warnings)).toEqual([
      expect.stringMatching(
        /^SubmissionType "1" needs a new product ID, but the product was inserted already\. Changed since: product_presentation\. Fitting: type 5/,
      ),
    ]);
    const update = await judged({ productId, type: 3, brand: 'Ours' }, token);
    expect(findings(update.warnings)).toEqual([]);
    for (const answer of [checked, update])
      expect(JSON.stringify(answer)).not.toMatch(new RegExp(`Secret|${first?.case_id}`));
  });
});

describe('a product that was not inserted before', () => {
  it('is found under a type for updates, unless it is on its way', async () => {
    const productId = newProductId();
    const found = await judged({ productId, type: 5 });
    expect(findings(found.warnings)).toEqual([
      `SubmissionType "5" updates a product, but this service has not inserted ${productId}. Unless it was notified by other means: fitting is type 1 (New product) (SubmissionType, unknown_product)`,
    ]);
    stack.simulator.simulation.behaviour.reject = [{ product_id: productId, step: 'design', message: 'no' }];
    await imported({ productId });
    stack.simulator.simulation.behaviour.reject = [];
    expect(findings((await judged({ productId, type: 5 })).warnings)).toHaveLength(1);
    await stack.sql(`update submission set status = 'local' where product_id = '${productId}'`);
    expect(findings((await judged({ productId, type: 5 })).warnings)).toEqual([]);
  });

  it('names the product that it replaces', async () => {
    const [previous, productId] = [newProductId(), newProductId()];
    const modified = async () => {
      const edit = (xml: string) =>
        xml.replace(
          '</ProductID>',
          `</ProductID><PreviousProductID confidential="false">${previous}</PreviousProductID>`,
        );
      const zip = await zipOf({ [productPath('a')]: edit(xmlOf({ productId, type: 2 })) });
      return findings((await dryRun(stack, zip)).body.data.products[0]?.warnings);
    };
    expect(await modified()).toEqual([
      expect.stringContaining(`PreviousProductID "${previous}" was not inserted`),
    ]);
    await imported({ productId: previous });
    expect(await modified()).toEqual([]);
  });
});

describe('where a check refuses', () => {
  it('the file fails, and the other file of the product takes its place', async () => {
    // This is the last test of the file.
    await stack.pauseWorkers();
    const { parser } = loadConfig({ REFUSED_PRODUCT_CHECKS: 'known_product,unknown_product' }).worker;
    await stack.startWorkers({ parser: { ...parser, threads: 1 } });
    const [productId, other] = [newProductId(), newProductId()];
    await imported({ productId });
    const again: Product = { productId, description: 'A can' };
    expect(await judged(again)).toMatchObject({
      outcome: 'refused',
      product_id: productId,
      reasons: [{ check: 'known_product' }],
    });
    const report = await imported(again, { ...again, type: 5 }, { productId: other, type: 7 });
    expect(
      report.zip_import.failed.map(({ xml_file, reasons }) => [xml_file, reasons.map(({ check }) => check)]),
    ).toEqual([
      ['0.xml', ['known_product']],
      ['2.xml', ['unknown_product']],
    ]);
    expect(report.submissions).toMatchObject([{ product_id: productId, status: 'regulator_inserted' }]);
  });
});
