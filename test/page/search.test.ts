/** The search in the header: by any ID, file name and comment, with the keyboard. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { ready } from '../support/page-screens.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { describePage, expectGoodAtAnyWidth } from '../support/starters/page.ts';
import { call, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

describePage('the search', {}, (web) => {
  const [first, second] = [newProductId(), newProductId()];
  const known: Record<string, string> = {};
  beforeAll(async () => {
    const send = async (productId: string, fileName: string, comment: string) => {
      const zip = await zipOf({ [productPath('a')]: productXml({ productId }) });
      const { id } = (await upload(web.stack, zip, { fileName, comment })).body.data;
      return finished(web.stack, id);
    };
    const { id, submissions } = await send(first, 'spring-range.zip', 'for the shops');
    await send(second, 'autumn-range.zip', 'spring is over');
    const [submission] = submissions;
    Object.assign(known, {
      import: String(id),
      case: submission?.case_id,
      job: submission?.job_id,
      product: first,
    });
  });

  async function search(page: Page, text: string): Promise<void> {
    await ready(page);
    await page.keyboard.press('/');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  }

  it.each(['case', 'job', 'product'])(
    'opens the only hit of a %s at once, from every screen, and the way back skips the search',
    async (what) => {
      const page = await web.open('statistics');
      await ready(page);
      await search(page, known[what] ?? '');
      await page.getByRole('heading', { name: `Product ${first}`, exact: true }).waitFor();
      expect(await page.getByRole('searchbox', { name: 'Search everything' }).inputValue()).toBe('');
      await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
      await page.goBack();
      await page.getByRole('heading', { name: 'Statistics' }).waitFor();
    },
  );

  it('opens the only hit of a file name', async () => {
    const page = await web.open();
    await search(page, 'SPRING-RANGE');
    await page.getByRole('heading', { name: `Import ${known.import}` }).waitFor();
  });

  it('lists several hits by kind, in every width, light and dark', async () => {
    const page = await web.open();
    await search(page, 'spring');
    await page.getByText('2 hits').waitFor();
    const imports = page.getByRole('main').getByRole('listitem');
    expect(await imports.allTextContents()).toEqual([
      expect.stringMatching(/^Import \d+spring-range.zip: for the shops$/),
      expect.stringMatching(/^Import \d+autumn-range.zip: spring is over$/),
    ]);
    await expectGoodAtAnyWidth(page);
    await imports.getByRole('link').first().click();
    await page.getByRole('heading', { name: `Import ${known.import}` }).waitFor();
  });

  it('says that nothing is found', async () => {
    const page = await web.open('', { provokes: /404/ });
    await search(page, '999999999');
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  });

  it('finds submissions by case and job in the API, for their owner', async () => {
    for (const query of [`case_id=${known.case}`, `job_id=${known.job}`]) {
      const { body } = await call<{ submissions: { product_id: string }[] }>(
        web.stack,
        'GET',
        `/regulator/submissions?${query}`,
      );
      expect(
        body.data.submissions.map(({ product_id }) => product_id),
        query,
      ).toEqual([first]);
    }
  });
});
