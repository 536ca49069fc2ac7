/**
 * Uploading on the web page: a dry run, an import, what is refused, and lines that are lost. RECORD_PICTURES=1 takes
 * the picture anew.
 */
import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UPLOADER } from '../../src/trial-parts/identity-service/people.ts';
import { eventually } from '../support/eventually.ts';
import { recordPicture } from '../support/page-browser.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { askForCode, mailedCode } from '../support/regulator-code.ts';
import { describePage, expectGoodAtAnyWidth, type Visit } from '../support/starters/page.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { seemServed } from '../support/temporal.ts';
import { call, report } from '../support/upload.ts';
import { type ZipEntries, zipOf } from '../support/zip.ts';

const STACK = { env: { BASE_PATH: '/prefix' } };

describePage('uploading on the web page', STACK, (web) => {
  const countImports = async () => {
    const [row] = await web.stack.sql<{ n: number }>('select count(*)::int as n from zip_import');
    return row?.n ?? -1;
  };

  async function choose(page: Page, entries: ZipEntries, name = 'package.zip'): Promise<void> {
    const buffer = await zipOf(entries);
    await page.getByLabel('Drop a package here').setInputFiles({ name, mimeType: 'application/zip', buffer });
    await page.getByText(name, { exact: true }).waitFor();
  }

  const check = (page: Page) => page.getByRole('button', { name: 'Check the package' }).click();
  const importIt = (page: Page) => page.getByRole('button', { name: 'Import the package' }).click();
  const importOpened = async (page: Page) => {
    await page.waitForURL(/\/app\/imports\/\d+$/);
    return Number(/\d+$/.exec(page.url())?.[0]);
  };

  async function openUpload(visit: Visit = {}): Promise<Page> {
    const page = await web.open('upload', visit);
    await page.getByText('Drop a package here').waitFor();
    return page;
  }

  /** Grows with each request that is to import something. */
  function keysSentBy(page: Page): string[] {
    const keys: string[] = [];
    page.on('request', (request) => {
      const key = request.headers()['idempotency-key'];
      if (key !== undefined) keys.push(key);
    });
    return keys;
  }

  /** A package with products that were inserted before, so that some of them change. */
  async function mixedPackage(): Promise<ZipEntries> {
    const { productId, submissionId } = await web.imports.importOne();
    await web.imports.reached(submissionId, 'regulator_inserted');
    const edit = (xml: string) => xml.replace('A bottle', 'A can').replace('10</Volume>', '12</Volume>');
    return {
      [productPath('11111111-5dd0-4f07-838e-24680cb37d51')]: productXml(),
      [productPath('22222222-5dd0-4f07-838e-24680cb37d51')]: productXml({ productId, edit }),
      [productPath('33333333-5dd0-4f07-838e-24680cb37d51')]: productXml({ type: '77' }),
      'root/export/tobacco-product-submissions/t.xml': '<TobaccoProductSubmission/>',
      'root/export/attachments/odd.xml': '<Odd/>',
    };
  }

  it('shows the result of a dry run, and then imports the package', async () => {
    const page = await openUpload();
    const entries = await mixedPackage();
    const before = await countImports();
    await choose(page, entries);
    await page.getByLabel('Comment').fill('June');
    await page.getByLabel('E-mail').fill('person@company.example');
    await check(page);
    await page.getByText('2 products would be sent to the regulator.').waitFor();
    expect(await countImports()).toBe(before);
    const result = page.getByRole('region', { name: 'Result of the dry run' });
    expect(await result.locator('ul').first().locator('li').allInnerTexts()).toEqual([
      '1\nRefused',
      '1\nChanged',
      '1\nNew',
      '1\nSkipped',
      '0\nUnchanged',
    ]);
    expect(await result.getByText('ProductType', { exact: false }).first().isVisible()).toBe(true);
    expect(await result.getByText('odd.xml').isVisible()).toBe(false);
    await result.getByText('Changes', { exact: true }).click();
    const design = result.getByRole('region', { name: 'Changed fields of Design' });
    expect(await design.locator('del').innerText()).toContain('A bottle');
    expect(await design.locator('ins').innerText()).toContain('A can');
    await recordPicture(page, 'page-upload', { width: 1280, height: 1240 });
    await importIt(page);
    const importId = await importOpened(page);
    expect(await countImports()).toBe(before + 1);
    const { comment, notification } = await report(web.stack, importId);
    expect({ comment, to: notification?.email }).toEqual({ comment: 'June', to: 'person@company.example' });
    await page.goto(`${web.url}upload`);
    await page.getByText('Drop a package here').waitFor();
  });

  it('accepts a dropped package, and refuses other files at once', async () => {
    const page = await openUpload({ person: UPLOADER, provokes: /status of 500/ });
    const drop = (...names: string[]) =>
      page.evaluate(`{
        const dataTransfer = new DataTransfer();
        for (const name of ${JSON.stringify(names)}) dataTransfer.items.add(new File(['PK'], name));
        document.querySelector('main').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      }`);
    await drop('notes.txt');
    await page.getByText('its name does not end in .zip').waitFor();
    await drop('a.zip', 'b.zip');
    await page.getByText('Upload one package at a time').waitFor();
    await drop('export.zip');
    await page.getByText('export.zip', { exact: true }).waitFor();
    await check(page);
    await page.getByRole('heading', { name: 'The package cannot be read.' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('lets the operator log in with the regulator after a refusal, and continues', async () => {
    const page = await openUpload({ provokes: /status of 412/ });
    await call(web.stack, 'DELETE', '/regulator/session');
    const before = await countImports();
    // More than any buffer on the way: the refusal comes while it is being sent.
    await choose(page, { [productPath('a')]: productXml(), 'root/notes.bin': randomBytes(12 * 1024 * 1024) });
    await check(page);
    const keys = keysSentBy(page);
    await importIt(page);
    const dialog = page.getByRole('dialog', { name: 'Log in with the regulator' });
    await askForCode(dialog);
    expect(await countImports()).toBe(before);
    expect(keys).toHaveLength(1);
    await page.keyboard.type(await mailedCode(web.stack));
    await page.keyboard.press('Enter');
    await importOpened(page);
    expect(await countImports()).toBe(before + 1);
  });

  describe('over a connection that breaks', () => {
    let proxy: TcpProxy;
    let distant: Browser;
    beforeAll(async () => {
      proxy = await startTcpProxy([web.stack.config.gateway.port]);
      distant = await web.launchBrowserThrough(proxy.port);
    });
    afterAll(async () => {
      await distant?.close();
      await proxy?.stop();
    });
    // The browser notes each request that the line has lost.
    const fromAfar = () => openUpload({ person: UPLOADER, browser: distant, provokes: /ERR_/ });

    it('tries again, and imports once when an answer was lost', async () => {
      const page = await fromAfar();
      const before = await countImports();
      await choose(page, { [productPath('a')]: productXml({ productId: newProductId() }) });
      await check(page);
      await page.getByRole('button', { name: 'Import the package' }).waitFor();
      const keys = keysSentBy(page);
      proxy.silence();
      await importIt(page);
      proxy.refuse();
      await page.getByText('Next attempt in').waitFor();
      await page.getByText('imports nothing twice').waitFor();
      expect(await countImports()).toBe(before);
      // Now it arrives, and while nobody reads it the line is cut: the answer is lost.
      const resumeWorkers = await web.stack.pauseWorkers();
      await seemServed(web.stack);
      proxy.restore();
      await page.getByRole('button', { name: 'Try now' }).click();
      await page.getByText('The service has the package.').waitFor();
      await eventually(async () => (await countImports()) === before + 1);
      proxy.cut();
      await page.getByText('The import may exist already').waitFor();
      await resumeWorkers();
      await importOpened(page);
      expect(await countImports()).toBe(before + 1);
      expect(keys.length).toBeGreaterThan(2);
      expect(new Set(keys).size).toBe(1);
    });

    it('is cancelled by its button, and asks before the page is left', async () => {
      const page = await fromAfar();
      const before = await countImports();
      await choose(page, { [productPath('a')]: productXml() });
      proxy.silence();
      await check(page);
      await page.getByRole('progressbar', { name: 'Sent' }).waitFor();
      const asked = page.waitForEvent('dialog');
      const left = page.close({ runBeforeUnload: true });
      const question = await asked;
      expect(question.type()).toBe('beforeunload');
      await question.dismiss();
      await left;
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Nothing was imported.', { exact: true }).waitFor();
      proxy.restore();
      await page.getByRole('button', { name: 'Check the package' }).click();
      await page.getByRole('button', { name: 'Import the package' }).waitFor();
      expect(await countImports()).toBe(before);
    });
  });

  it('is good at any width, in light and dark', async () => {
    const page = await openUpload({ provokes: /status of 412/ });
    await choose(page, await mixedPackage());
    await check(page);
    await page.getByRole('button', { name: 'Import the package' }).waitFor();
    for (const fold of ['Changes', '1 warning', 'Skipped', 'Warnings'])
      await page.locator('summary', { hasText: fold }).first().click();
    await expectGoodAtAnyWidth(page);
    await call(web.stack, 'DELETE', '/regulator/session');
    await importIt(page);
    await askForCode(page.getByRole('dialog'));
    await expectGoodAtAnyWidth(page);
    await web.stack.logIn();
  });

  it('works by keyboard alone', async () => {
    const page = await openUpload();
    await choose(page, { [productPath('a')]: productXml() });
    await page.getByLabel('Drop or choose another file').focus();
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Import the package' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await importOpened(page);
  });
});
