/** Failures on the web page: selected, previewed, retried and seen to the end, by keyboard too. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { UPLOADER } from '../../src/trial-parts/identity-service/people.ts';
import { recordPicture } from '../support/page-browser.ts';
import { newProductId } from '../support/product-xml.ts';
import { describePage } from '../support/starters/page.ts';
import { finished } from '../support/upload.ts';

describePage('the failures on the web page', {}, (web) => {
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
