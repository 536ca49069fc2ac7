/** Failures on the web page: retried and seen to the end, or corrected in their file, by keyboard too. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { UPLOADER } from '../../src/trial-parts/identity-service/people.ts';
import { recordPicture } from '../support/page-browser.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { describePage, expectGoodAtAnyWidth } from '../support/starters/page.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

describePage('failures on the web page', {}, (web) => {
  // First, while no other product has failed.
  describe('the list', () => {
    const table = (page: Page) => page.getByRole('grid', { name: 'Failures' });
    const box = (page: Page, name: string) => table(page).getByRole('checkbox', { name });
    const dialog = (page: Page) => page.getByRole('dialog');

    async function failing(step: 'design' | 'init_validate'): Promise<string> {
      const productId = newProductId();
      web.imports.reject(productId, step);
      const { importId } = await web.imports.importOne({ productId });
      await finished(web.stack, importId);
      web.imports.restoreRegulator();
      return productId;
    }

    it('are selected by keyboard, previewed and retried, and then the rest', async () => {
      const productId = await failing('design');
      await failing('init_validate');
      const page = await web.open('failures');
      await page.getByText('2 products in 2 imports').waitFor();
      await table(page).getByRole('link', { name: productId }).waitFor();
      await recordPicture(page, 'page-failures');
      await box(page, 'Regulator rejected, Design').focus();
      await page.keyboard.press('Space');
      expect(await box(page, 'Regulator rejected, Design').isChecked()).toBe(true);
      await page.getByRole('button', { name: 'Retry selected' }).click();
      await dialog(page).getByText('1 product in 1 import.').waitFor();
      await dialog(page).getByRole('button', { name: 'Close' }).last().click();
      expect(await web.stack.sql('select * from import_retry')).toEqual([]);
      await page.getByRole('button', { name: 'Retry selected' }).click();
      await dialog(page).getByRole('button', { name: 'Retry selected' }).click();
      const run = page.getByRole('region', { name: 'Last run' });
      await run.getByText('completed: 1 of 1 import done, 1 product').waitFor();
      await box(page, 'Regulator rejected, Design').waitFor({ state: 'detached' });
      await page.setViewportSize({ width: 320, height: 700 });
      await page.getByRole('button', { name: 'Retry all that match' }).click();
      await dialog(page).getByText('1 product in 1 import.').waitFor();
      await dialog(page).getByRole('button', { name: 'Retry all that match' }).click();
      await page.getByText('No failed product matches').waitFor();
    });

    it('are filtered by the address, and a run is stopped', async () => {
      await failing('design');
      const page = await web.open('failures?submitter_id=11111');
      await page.getByText('No failed product matches').waitFor();
      await page.getByLabel('Submitter').fill('99962');
      await table(page).getByText('Regulator rejected').waitFor();
      const continueWork = await web.stack.pauseWorkers();
      await page.getByRole('button', { name: 'Retry all that match' }).click();
      await dialog(page).getByRole('button', { name: 'Retry all that match' }).click();
      await page.getByRole('button', { name: 'Stop' }).click();
      await continueWork();
      await page.getByText('stopped: 0 of 1 import done').waitFor();
      await page.getByRole('button', { name: 'Cancel imports of all that match' }).click();
      await dialog(page).getByText('0 products in 0 imports.').waitFor();
      const other = await web.open('failures', { person: UPLOADER });
      await other.getByLabel('Submitter').waitFor();
      expect(await other.getByLabel('Client').count()).toBe(0);
    });
  });

  describe('a product file that failed', () => {
    async function importOf(name: string, xml: string | Uint8Array): Promise<number> {
      const { id } = (await upload(web.stack, await zipOf({ [productPath(name)]: xml }))).body.data;
      await finished(web.stack, id);
      return id;
    }

    it('is opened at the line of a finding, corrected by keyboard, and imported alone', async () => {
      const productId = newProductId();
      const id = await importOf('wrong', productXml({ productId, type: '77' }));
      const page = await web.open(`imports/${id}`);
      await page.getByRole('row', { name: 'Refused' }).click();
      await page.getByRole('link', { name: 'Correct the file' }).click();
      const text = page.getByLabel('Product file');
      const findings = page.getByRole('region', { name: 'Findings' });
      const send = page.getByRole('button', { name: 'Import the corrected file' });
      await findings.getByText('The file has errors.').waitFor();
      await findings.getByText('ProductType "77" is unknown').waitFor();
      await page.emulateMedia({ colorScheme: 'light' });
      await recordPicture(page, 'page-mend');

      const selected = 'getSelection().toString()';
      const line = /^\s*<ProductType confidential="false">77<\/ProductType>$/;
      await expect.poll(() => page.evaluate(selected)).toMatch(line);
      await text.press('Home');
      await findings.getByRole('button', { name: /^Line \d+$/ }).press('Enter');
      expect(await page.evaluate(selected)).toMatch(line);
      expect(await send.isDisabled()).toBe(true);
      await page.keyboard.insertText('<ProductType confidential="false">1</ProductType>');
      await findings.getByText('The product can be sent.').waitFor();
      await page.getByText('1 line added, 1 removed').waitFor();
      await text.press('Tab');
      expect(await send.evaluate((button) => button.matches(':focus'))).toBe(true);
      await send.press('Enter');
      await page.getByRole('heading', { name: /^Import \d+/ }).waitFor();
      await expect.poll(() => web.imports.casesOf(productId).length).toBe(1);
    });

    it('is not imported while it has characters that could not be read', async () => {
      const xml = productXml({ productId: newProductId(), brand: 'Grün' });
      const id = await importOf('latin', Buffer.from(xml, 'latin1'));
      const page = await web.open(`imports/${id}`);
      await page.getByRole('row', { name: 'Refused' }).click();
      await page.getByRole('link', { name: 'Correct the file' }).click();
      const text = page.getByLabel('Product file');
      const findings = page.getByRole('region', { name: 'Findings' });
      await findings
        .getByText('bytes that are not valid in its encoding, shown as \ufffd in 1 place')
        .waitFor();
      await expect.poll(() => page.evaluate('getSelection().toString()')).toContain('>Gr\ufffdn<');
      expect(await page.getByRole('button', { name: 'Import the corrected file' }).isDisabled()).toBe(true);
      await text.fill((await text.inputValue()).replace('\ufffd', 'ü'));
      await findings.getByText('The product can be sent.').waitFor();
      await page.getByText('1 line added, 1 removed').waitFor();
    });

    it('is checked again when a person asks for it after a lost connection', async () => {
      const id = await importOf('offline', productXml({ productId: newProductId(), type: '77' }));
      const page = await web.open(`imports/${id}`, { provokes: /ERR_FAILED/ });
      await page.getByRole('row', { name: 'Refused' }).click();
      await page.route('**/package-import?*dry_run*', (route) => route.abort());
      await page.getByRole('link', { name: 'Correct the file' }).click();
      await page.getByText('The file could not be checked.').waitFor();
      await page.unroute('**/package-import?*dry_run*');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('The file has errors.').waitFor();
      expect(await page.getByText('The file could not be checked.').count()).toBe(0);
    });

    it('may be one that the regulator rejected: its reasons are shown', async () => {
      const productId = newProductId();
      web.imports.reject(productId, 'design');
      const id = await importOf('rejected', productXml({ productId }));
      const page = await web.open(`imports/${id}?show=failed`);
      await page.getByRole('row', { name: productId }).click();
      await page.getByRole('link', { name: 'Correct the file' }).click();
      const findings = page.getByRole('region', { name: 'Findings' });
      await findings.getByRole('heading', { name: 'Why the insert failed' }).waitFor();
      await findings.getByText('The product can be sent.').waitFor();
      const text = page.getByLabel('Product file');
      await text.fill((await text.inputValue()).replace('A bottle', 'A can'));
      await findings.getByText('Changed', { exact: true }).waitFor();
      await expectGoodAtAnyWidth(page);
    });

    it('is in the repair pack, and can be retried, until its correction is queued', async () => {
      const productId = newProductId();
      web.imports.reject(productId);
      const id = await importOf('superseded', productXml({ productId }));
      const page = await web.open(`imports/${id}`);
      const retry = page.getByRole('button', { name: 'Retry 1 product' });
      await retry.waitFor();
      await page.getByText('Download', { exact: true }).click();
      await page.getByRole('button', { name: 'Repair pack with the failed files' }).waitFor();
      web.imports.restoreRegulator();
      const corrected = new TextEncoder().encode(productXml({ productId, brand: 'Corrected' }));
      await upload(web.stack, corrected, { fileName: 'superseded.xml', query: `?mends=${id}` });
      await retry.waitFor({ state: 'detached' });
    });
  });
});
