/**
 * Imports as people see them on the web page: the list, one import, what can be done with it. RECORD_PICTURES=1 takes
 * the pictures of docs/page.md anew.
 */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { recordPicture } from '../support/page-browser.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { describePage, expectGoodAtAnyWidth } from '../support/starters/page.ts';
import { call, finished, upload } from '../support/upload.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { zipOf } from '../support/zip.ts';

const TEMPORAL_UI = 'http://127.0.0.1:9';
const [INSERTED, REJECTED, WARNED] = [newProductId(), newProductId(), newProductId()];

let receiver: WebhookReceiver;

async function withReceiver() {
  receiver = await startWebhookReceiver();
  return { env: { TEMPORAL_UI_URL: TEMPORAL_UI, WEBHOOK_HOSTS: receiver.host } };
}

describePage('imports on the web page', withReceiver, (web) => {
  let importId: number;

  beforeAll(async () => {
    await call(web.stack, 'PUT', '/regulator/webhook', { json: { url: receiver.url } });
    importId = await importWithFailures();
    await web.imports.importOne({ brand: 'Another' });
  });

  /** One product inserted, one with warnings, one rejected by the regulator, one file refused. */
  async function importWithFailures(): Promise<number> {
    web.imports.reject(REJECTED);
    const zip = await zipOf({
      [productPath('inserted')]: productXml({ productId: INSERTED }),
      [productPath('rejected')]: productXml({ productId: REJECTED }),
      [productPath('warned')]: productXml({
        productId: WARNED,
        edit: (xml) => xml.replace('56-81-5', '56-81-4').replace('>SE<', '>ZZ<'),
      }),
      [productPath('refused')]: productXml({ type: '77' }),
    });
    const answer = await upload(web.stack, zip, {
      fileName: 'autumn-range.zip',
      comment: 'Autumn range',
      email: 'person@company.example',
    });
    const { id } = answer.body.data;
    await finished(web.stack, id);
    return id;
  }

  const rowOf = (page: Page, text: string) =>
    page.getByRole('grid').getByRole('row').filter({ hasText: text });

  it('are searched by a day with the keyboard, as soon as its year is typed', async () => {
    const page = await web.open();
    await page.getByText('More filters').click();
    const from = page.getByLabel('Uploaded from');
    await from.focus();
    await page.keyboard.type('01012');
    expect([await from.inputValue(), new URL(page.url()).search]).toEqual(['0002-01-01', '']);
    await page.keyboard.type('026');
    await page.waitForURL('**/?from=2026-01-01');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL((url) => url.search === '');
    expect(await from.inputValue()).toBe('');
  });

  it('are searched by a part of the name with the keyboard, and the address keeps the search', async () => {
    const page = await web.open();
    await rowOf(page, 'package.zip').waitFor();
    await page.getByLabel('File name').focus();
    await page.keyboard.type('AUTUMN');
    await rowOf(page, 'package.zip').waitFor({ state: 'detached' });
    await rowOf(page, 'autumn-range.zip').waitFor();
    expect(new URL(page.url()).search).toBe('?file_name=AUTUMN');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Import ${importId}` }).waitFor();
    await page.goBack();
    await rowOf(page, 'autumn-range.zip').waitFor();
    expect(await page.getByLabel('File name').inputValue()).toBe('AUTUMN');
  });

  it('are counted by status, and marked when something failed', async () => {
    const page = await web.open();
    const row = rowOf(page, 'autumn-range.zip');
    await row.getByText('1 failed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Completed 2' }).waitFor();
    await page.getByRole('button', { name: 'Cancelled 0' }).click();
    await page.getByText('No import matches these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel('With failures only').check();
    await rowOf(page, 'package.zip').waitFor({ state: 'detached' });
    await expect.poll(() => row.count()).toBe(1);
  });

  it('show failures first, with their place in the file and a link to the run', async () => {
    const page = await web.open(`imports/${importId}`);
    await rowOf(page, REJECTED).waitFor();
    const outcomes = await page.getByRole('grid', { name: 'Products' }).getByRole('row').allInnerTexts();
    expect(outcomes.slice(1).map((text) => /Refused|Failed|Inserted/.exec(text)?.[0])).toEqual([
      'Refused',
      'Failed',
      'Inserted',
      'Inserted',
    ]);
    const strip = rowOf(page, REJECTED).getByRole('img');
    expect(await strip.getAttribute('aria-label')).toContain('Presentations: done, Design: failed');
    const run = rowOf(page, REJECTED).getByRole('link', { name: /^Run/ });
    expect(await run.getAttribute('href')).toMatch(
      new RegExp(`^${TEMPORAL_UI}/namespaces/[^/]+/workflows/regulator-insert-${REJECTED}/[0-9a-f-]{36}$`),
    );

    await rowOf(page, 'refused.xml').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('"77" is unknown; expected 1-9').waitFor();
    await dialog.getByText('line 14').waitFor();
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByText('Rejected on request').waitFor();
    expect(await dialog.locator('mark').innerText()).toBe('<Design>');
    const focused = () => page.evaluate('document.activeElement.textContent');
    expect(await focused()).toBe('Next →');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await focused()).toContain('refused.xml');
  });

  it('show warnings with the rules of their checks and their lines', async () => {
    const page = await web.open(`imports/${importId}?show=warned`);
    await rowOf(page, WARNED).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('3 warnings').click();
    await dialog.locator('summary', { hasText: 'cas_check_digit' }).click();
    await dialog.getByText('the check digit of a CAS number').waitFor();
    const marked = await dialog.locator('mark').allInnerTexts();
    expect(marked.map((text) => text.trim())).toEqual([
      '<NationalMarket confidential="false">ZZ</NationalMarket>',
      '<CasNumber confidential="false">56-81-4</CasNumber>',
      '<ProductionFile attachmentID="238d0f2d-5dd0-4f07-838e-24680cb37d51"/>',
    ]);
    expect(new URL(page.url()).searchParams.get('show')).toBe('warned');
    // A selection that ends beside the dialog leaves it open. A click beside it closes it.
    await dialog.getByRole('heading').first().hover();
    await page.mouse.down();
    await page.mouse.move(2, 2);
    await page.mouse.up();
    expect(await dialog.count()).toBe(1);
    await page.mouse.click(2, 2);
    await dialog.waitFor({ state: 'detached' });
  });

  it('are downloaded as CSV, and refused files as a repair pack', async () => {
    const page = await web.open(`imports/${importId}`);
    await rowOf(page, REJECTED).waitFor();
    const saved = async (label: string) => {
      await page.getByText('Download', { exact: true }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: label }).click();
      const file = await download;
      return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
    };
    const products = await saved('Products as CSV');
    expect(products.name).toBe(`import-${importId}-products.csv`);
    expect(products.content.toString()).toContain(REJECTED);
    expect((await saved('Refused and skipped files')).content.toString()).toContain('refused.xml');
    expect((await saved('Repair pack')).content.subarray(0, 2).toString()).toBe('PK');
    await page.getByText('Download', { exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Products as CSV' }).waitFor({ state: 'hidden' });
  });

  it('show mail and webhook messages, which can be sent again', async () => {
    const page = await web.open(`imports/${importId}`);
    await page.getByText('person@company.example').waitFor();
    const message = page
      .getByRole('grid', { name: 'Messages' })
      .getByRole('row')
      .filter({ hasText: 'package_import.completed' });
    await message.getByText('Delivered').waitFor();
    const before = receiver.messages.length;
    await message.click();
    await page.getByRole('button', { name: 'Send again' }).click();
    await eventually(async () => receiver.messages.length > before);
    await page
      .getByRole('dialog')
      .locator('.facts div', { hasText: /^Attempts2$/ })
      .waitFor();
  });

  it('are good at any width, in light and dark', async () => {
    const page = await web.open();
    await rowOf(page, 'autumn-range.zip').getByText('1 failed').waitFor();
    await recordPicture(page, 'page-imports');
    await page.goto(`${web.url}imports/${importId}`);
    await rowOf(page, REJECTED).waitFor();
    await recordPicture(page, 'page-import');
    await rowOf(page, WARNED).click();
    await page.getByText('3 warnings').click();
    await page.locator('mark').first().waitFor();
    await expectGoodAtAnyWidth(page);
  });

  it('are loaded page by page at the end of the list, which stays in place', async () => {
    await web.stack.sql(`insert into zip_import (uuid, client_id, tenant, file_name, storage_key, zip_file_path, size_bytes,
      sha256, uploaded_at, status, queued_at, completed_at)
    select gen_random_uuid(), client_id, tenant, 'copy-' || n || '.zip', storage_key, zip_file_path, size_bytes,
      sha256, uploaded_at, status, queued_at, completed_at
    from zip_import, generate_series(1, 500) n where id = ${importId}`);
    const page = await web.open();
    const table = page.getByRole('grid');
    const rows = async () => Number(await table.getAttribute('aria-rowcount'));
    await table.getByRole('row').nth(1).focus();
    for (const before of [101, 201, 301]) {
      await eventually(async () => (await rows()) === before);
      await page.keyboard.press('End');
      await eventually(async () => (await rows()) === before + 100);
      await expect.poll(() => page.evaluate('Number(document.activeElement.ariaRowIndex)')).toBe(before);
    }
    expect(await table.getByRole('row').count()).toBeLessThan(80);
  });

  it('are cancelled after a question, and the rest is retried', async () => {
    web.imports.takeRegulatorAway();
    const { importId: id, productId } = await web.imports.importOne();
    const page = await web.open(`imports/${id}`);
    await rowOf(page, productId).getByText('Inserting').waitFor();
    await page.getByRole('button', { name: 'Cancel import' }).click();
    const dialog = page.getByRole('dialog', { name: `Cancel import ${id}?` });
    await dialog.getByRole('button', { name: 'Keep running' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel import' }).click();
    await dialog.getByRole('button', { name: 'Cancel import' }).click();
    await rowOf(page, productId).getByText('Failed').waitFor();
    await page.getByText(/^Cancelled by/).waitFor();
    web.imports.restoreRegulator();
    await page.getByRole('button', { name: 'Retry 1 product' }).click();
    await rowOf(page, productId).getByText('Inserted').waitFor();
    await page.getByText(/^Retried by/).waitFor();
  });
});
