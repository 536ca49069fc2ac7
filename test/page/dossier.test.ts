/** The dossier from the product's screen, and its page as people read it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import {
  attachmentPath,
  attachmentXml,
  newProductId,
  productPath,
  productXml,
} from '../support/product-xml.ts';
import { describePage, expectGoodAtAnyWidth } from '../support/starters/page.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { finished, upload } from '../support/upload.ts';
import { unzip, zipOf } from '../support/zip.ts';

describePage('a dossier', {}, (web) => {
  it('is downloaded, and its page is readable at any width, in light and dark', async () => {
    const productId = newProductId();
    for (const brand of ['First', 'Second']) {
      const zip = await zipOf({
        [productPath(`a-long-name-${'x'.repeat(100)}`)]: productXml({ productId, brand }),
        [attachmentPath('leaflet')]: attachmentXml('%PDF', { fileName: `${'leaflet'.repeat(20)}.pdf` }),
      });
      const { body } = await upload(web.stack, zip, { comment: 'Spring range' });
      await finished(web.stack, body.data.id);
    }
    await web.stack.sql(`update submission set raw_xml = null where id = 1`);
    const screen = await web.open(`products/${productId}`);
    const downloading = screen.waitForEvent('download');
    await screen.getByRole('button', { name: 'Download dossier' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`dossier-${productId}.zip`);
    const directory = await temporaryDirectory();
    const files = await unzip(await readFile(await download.path()));
    for (const [path, content] of files) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), content);
    }
    const page = await web.newPage();
    await page.goto(`file://${join(directory, 'index.html')}`);
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      'Submission 2: regulator_inserted',
      'Submission 1: regulator_inserted',
    ]);
    await page.getByText('removed by retention').waitFor();
    await expectGoodAtAnyWidth(page);
  });
});
