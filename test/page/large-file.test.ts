/** A product file of 4 MB is opened, corrected and checked on the web page. */
import { expect, it } from 'vitest';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { describePage } from '../support/starters/page.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

describePage('a large product file', {}, (web) => {
  it('of 4 MB is corrected', async () => {
    const productId = newProductId();
    const filler = `<!-- ${'x'.repeat(120)} -->\n`.repeat(30_000);
    const xml = productXml({ productId }).replace('</EcigProductSubmission>', `${filler}</Wrong>`);
    const { id } = (await upload(web.stack, await zipOf({ [productPath('large')]: xml }))).body.data;
    await finished(web.stack, id);
    const page = await web.open(`imports/${id}/mend/large.xml`);
    const text = page.getByLabel('Product file');
    const findings = page.getByRole('region', { name: 'Findings' });
    await findings.getByText('The file has errors.').waitFor();
    await findings.getByRole('button', { name: /^Line 30\d{3}$/ }).click();
    expect(await page.evaluate('getSelection().toString()')).toContain('</Wrong>');
    await page.keyboard.insertText('</EcigProductSubmission>');
    await findings.getByText('The product can be sent.').waitFor();
    expect((await text.inputValue()).length).toBeGreaterThan(3_900_000);
  });
});
