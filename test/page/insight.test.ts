/** Looking back on the web page: a product over time, its dossier, statistics, and who did what. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { UPLOADER } from '../../src/trial-parts/identity-service/people.ts';
import { recordPicture } from '../support/page-browser.ts';
import {
  attachmentPath,
  attachmentXml,
  newProductId,
  productPath,
  productXml,
} from '../support/product-xml.ts';
import { describePage, expectGoodAtAnyWidth } from '../support/starters/page.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { call, finished, upload } from '../support/upload.ts';
import { unzip, zipOf } from '../support/zip.ts';

const UI = 'http://127.0.0.1:1/ui';
const DAY_MS = 86_400_000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

describePage('products, statistics and audit on the web page', { env: { TEMPORAL_UI_URL: UI } }, (web) => {
  let page: Page;
  const productId = newProductId();
  /** Its submissions, the newest first: inserted, inserted with another brand, rejected with a third one. */
  const ids: number[] = [];

  beforeAll(async () => {
    for (const [n, brand] of ['Northern Mist', 'Northern Mist Mild', 'Southern Mist'].entries()) {
      if (n === 2) web.imports.reject(productId, 'design');
      const { submissionId } = await web.imports.importOne({ productId, brand });
      await web.imports.reached(submissionId, n === 2 ? 'regulator_insert_failed' : 'regulator_inserted');
      ids.unshift(submissionId);
    }
    web.imports.restoreRegulator();
  });

  const card = (id: number) => page.locator(`[data-submission="${id}"]`);

  describe('a product', () => {
    it('is found by its ID, with its submissions, case, runs and changes', async () => {
      const [newest = 0, middle = 0, oldest = 0] = ids;
      page = await web.open('products');
      await page.getByLabel('Product ID').fill(` ${productId} `);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: `Product ${productId}`, level: 1 }).waitFor();
      await card(oldest).getByText('First submission of this product').waitFor();
      expect(await page.locator('[data-submission] h2').allTextContents()).toEqual(
        ids.map((id) => `Submission ${id}`),
      );
      const cases = web.imports.casesOf(productId).map(({ case_id }) => case_id);
      expect(cases).toHaveLength(3);
      expect(await page.getByRole('region', { name: 'Product', exact: true }).textContent()).toContain(
        cases.at(-1),
      );
      expect(await card(oldest).textContent()).toContain(cases[0]);
      expect(await card(newest).textContent()).toContain('Rejected on request');
      const { job_id } = await web.imports.submission(middle);
      expect(
        await card(middle)
          .getByRole('link', { name: job_id?.slice(0, 8) ?? '' })
          .getAttribute('href'),
      ).toBe(
        `${UI}/namespaces/${web.stack.config.temporal.namespace}/workflows/regulator-insert-${productId}/${job_id}`,
      );

      await card(middle).getByRole('button', { name: 'Presentations' }).click();
      const changes = page.getByRole('region', { name: 'Changes' });
      await changes.getByText('1 line added, 1 removed').waitFor();
      expect(await changes.locator('del code').textContent()).toContain('>Northern Mist</BrandName>');
      expect(await changes.locator('ins code').textContent()).toContain('>Northern Mist Mild</BrandName>');
      await changes.getByLabel('Section').selectOption('Ingredients');
      await changes.getByText('No differences.').waitFor();
      await changes.getByLabel('Newer submission').selectOption(String(newest));
      await changes.getByLabel('Section').selectOption('Whole file');
      await changes.getByText('>Southern Mist</BrandName>').waitFor();
      await recordPicture(page, 'page-product');
    });

    it('can be retried where the service offers it, and a refusal shows its reason', async () => {
      const [newest = 0, middle = 0] = ids;
      page = await web.open(`products/${productId}`, { person: UPLOADER, provokes: /status of 404/ });
      await page.getByText('This does not exist, or it belongs to another client.').waitFor();
      page = await web.open(`products/${productId}`, { provokes: /status of 412/ });
      await card(newest).waitFor();
      expect(
        await card(middle)
          .getByRole('button', { name: /^Retry/ })
          .count(),
      ).toBe(0);
      await call(web.stack, 'DELETE', '/regulator/session');
      await card(newest)
        .getByRole('button', { name: /^Retry/ })
        .click();
      await card(newest).getByRole('alert').waitFor();
      expect(
        await card(newest).getByRole('link', { name: 'Log in with the regulator' }).getAttribute('href'),
      ).toBe('/app/session');
      await web.stack.logIn();
      await card(newest)
        .getByRole('button', { name: /^Retry/ })
        .click();
      await card(newest).getByText('Inserted', { exact: true }).waitFor();
      expect(
        await card(newest)
          .getByRole('button', { name: /^Retry/ })
          .count(),
      ).toBe(0);
      expect(await card(newest).getByRole('alert').count()).toBe(0);
    });

    it('with a wrong ID or a removed file shows the reason', async () => {
      const [newest = 0] = ids;
      await web.stack.sql(`update submission set raw_xml = null where id = ${newest}`);
      page = await web.open('products/nonsense', { provokes: /status of (400|410)/ });
      await page.getByText('The service rejects this request').waitFor();
      await page.getByLabel('Product ID').fill(productId);
      await page.getByRole('button', { name: 'Show' }).click();
      await card(newest).getByRole('button', { name: 'Whole file' }).click();
      await page.getByText('has been removed').waitFor();
    });

    it('has a dossier, whose page is readable at any width, in light and dark', async () => {
      const productId = newProductId();
      const ids: number[] = [];
      for (const brand of ['First', 'Second']) {
        const zip = await zipOf({
          [productPath(`a-long-name-${'x'.repeat(100)}`)]: productXml({ productId, brand }),
          [attachmentPath('leaflet')]: attachmentXml('%PDF', { fileName: `${'leaflet'.repeat(20)}.pdf` }),
        });
        const { id, submissions } = (await upload(web.stack, zip, { comment: 'Spring range' })).body.data;
        ids.unshift(submissions[0]?.id ?? 0);
        await finished(web.stack, id);
      }
      await web.stack.sql(`update submission set raw_xml = null where id = ${ids[1]}`);
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
      expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(
        ids.map((id) => `Submission ${id}: regulator_inserted`),
      );
      await page.getByText('not stored any more').waitFor();
      await expectGoodAtAnyWidth(page);
    });
  });

  describe('statistics', () => {
    beforeAll(async () => {
      // A month that another client has had; the numbers are made up, their form is that of a counted day.
      const rows = Array.from({ length: 29 }, (_, n) => {
        const many = 40 + Math.round(30 * Math.sin(n / 3)) + n;
        const products = {
          regulator_inserted: many,
          regulator_insert_failed: n % 5,
          skipped: 8,
          refused: n % 3,
        };
        const failures = { insert_design: n % 5, file_refused: n % 3 };
        const values = [
          'day',
          `${dayBefore(n + 1)}T00:00Z`,
          'other client',
          'false',
          'other client',
          '{"completed": 3}',
          products,
          failures,
        ];
        const texts = values.map((value) => `'${typeof value === 'string' ? value : JSON.stringify(value)}'`);
        return `(${texts.join(', ')}, ${20 + n}, ${90 + 4 * n}, ${n * 1_500_000})`;
      });
      await web.stack.sql(
        `insert into statistics_line (span, begins_at, owner, is_tenant, client_id, imports, products, failures, insert_p50_seconds, insert_p95_seconds, received_bytes) values ${rows.join(', ')}`,
      );
      const days = Array.from({ length: 29 }, (_, n) => `('${dayBefore(n + 1)}', now())`);
      await web.stack.sql(
        `insert into statistics_day (day, counted_at) values ${days.join(', ')} on conflict do nothing`,
      );
      await web.stack.database.statistics.countDay(dayBefore(0));
    });

    const chart = (name: string) => page.getByRole('region', { name, exact: true });

    it('have plots, tables and files of the same numbers', async () => {
      page = await web.open('statistics');
      await chart('Products by day').getByText('Inserted').waitFor();
      await page.locator('.u-wrap canvas').nth(3).waitFor();
      await recordPicture(page, 'page-statistics');
      await page.getByLabel('Client', { exact: true }).selectOption('other client');
      await chart('Failures by reason').getByRole('button', { name: 'Table' }).click();
      const table = page.getByRole('grid', { name: 'Failures by reason' });
      const cells = (row: number) => table.getByRole('row').nth(row).getByRole('gridcell').allTextContents();
      // The figures of all clients are shown until those of the chosen one are there.
      await expect.poll(() => cells(4)).toEqual([dayBefore(3), '2', '2']);
      expect(await cells(2)).toEqual([dayBefore(1), '0', '0']);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        chart('Time until inserted').getByRole('button', { name: 'CSV' }).click(),
      ]);
      const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
      expect(lines).toHaveLength(1 + 30 + 1);
      expect(lines[0]).toBe('day,p50_seconds,p95_seconds');
      expect(lines).toContain(`${dayBefore(3)},22,98`);
      expect(lines.at(-2)).toBe(`${dayBefore(0)},,`);
      await page.getByLabel('Period', { exact: true }).selectOption('Last 7 days');
      await page.reload();
      expect(await page.getByLabel('Period', { exact: true }).inputValue()).toBe('7');
      expect(await page.getByLabel('Client', { exact: true }).inputValue()).toBe('other client');
    });

    it('of a short period are by hour', async () => {
      const hour = () => `${new Date().toISOString().slice(0, 13).replace('T', ' ')}:00`;
      const before = hour();
      page = await web.open('statistics?days=1');
      const products = chart('Products by hour');
      await products.getByText('All hours').waitFor();
      await products.getByRole('button', { name: 'Table' }).click();
      const table = page.getByRole('grid', { name: 'Products by hour' });
      const newest = table.getByRole('row').nth(1).getByRole('gridcell').first();
      expect([before, hour()]).toContain(await newest.textContent());
      const [sent, counted] = await Promise.all([
        web.stack.sql<{ n: string }>(
          `select count(*) as n from submission where status = 'regulator_inserted' and created_at > now() - interval '23 hours'`,
        ),
        table.getByRole('gridcell').allTextContents(),
      ]);
      const columns = await table.getByRole('columnheader').count();
      const inserted = counted
        .filter((_, n) => n % columns === 1)
        .reduce((sum, text) => sum + Number(text), 0);
      expect(inserted).toBe(Number(sent[0]?.n));
      expect(inserted).toBeGreaterThan(0);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        products.getByRole('button', { name: 'CSV' }).click(),
      ]);
      const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
      expect(lines).toHaveLength(1 + 24 + 1);
      expect(lines.at(-2)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00Z,/);
      expect(download.suggestedFilename()).toMatch(/^products-\S+T\d\dh-\S+T\d\dh\.csv$/);
      await page.getByLabel('Period', { exact: true }).selectOption('Last 3 days');
      await chart('Failures by reason').getByText('All hours').waitFor();
    });

    it('show stored packages', async () => {
      page = await web.open('statistics');
      const row = page.getByRole('grid', { name: 'Stored now' }).getByRole('row').nth(1);
      await row.waitFor();
      const [kept] = await web.stack.sql<{ n: number; client_id: string; attached: string }>(
        `select count(*)::int as n, client_id, sum(attachment_bytes) as attached from zip_import where archive_removed_at is null group by client_id`,
      );
      expect(await row.getByRole('gridcell').first().textContent()).toBe(kept?.client_id);
      await chart('Stored now')
        .getByText(/^[\d.]+ KB in total$/)
        .waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        chart('Stored now').getByRole('button', { name: 'CSV' }).click(),
      ]);
      expect(await readFile(await download.path(), 'utf8')).toMatch(
        new RegExp(
          `^client_id,packages,package_bytes,attachment_bytes\r\n${kept?.client_id},${kept?.n},\\d+,${kept?.attached}\r\n$`,
        ),
      );
    });

    it('show the numbers of the day under the pointer', async () => {
      page = await web.open('statistics?days=7&client=other%20client');
      const over = chart('Products by day').locator('.u-over');
      await over.waitFor();
      const before = await chart('Products by day').boundingBox();
      const { width = 0, height = 0 } = (await over.boundingBox()) ?? {};
      await over.hover({ position: { x: width * 0.67, y: height / 2 } });
      await chart('Products by day')
        .getByText(/^\d{4}-\d\d-\d\d$/)
        .waitFor();
      expect(await chart('Products by day').boundingBox()).toEqual(before);
    });

    it('show a client its own numbers, and are empty before its first import', async () => {
      page = await web.open('statistics', { person: UPLOADER });
      await chart('Products by day').getByText('No data in this period').waitFor();
      expect(await page.getByLabel('Client', { exact: true }).count()).toBe(0);
      await page.getByText('No running imports').waitFor();
    });

    it('show running imports', async () => {
      web.imports.takeRegulatorAway();
      try {
        const { submissionId } = await web.imports.importOne();
        await web.imports.reached(submissionId, 'regulator_inserting');
        page = await web.open('statistics');
        const row = page.getByRole('grid', { name: 'Running now' }).getByRole('row').nth(1);
        await row.waitFor();
        expect((await row.getByRole('gridcell').allTextContents()).slice(0, 3)).toEqual([
          ...['demo-client', '1', '1'],
        ]);
      } finally {
        web.imports.restoreRegulator();
      }
    });
  });

  describe('the audit trail', () => {
    const grid = () => page.getByRole('grid', { name: 'Audit events' });

    it('is opened for one submission from its product, with details of each event', async () => {
      const { productId, submissionId, importId } = await web.imports.importOne();
      await web.imports.reached(submissionId, 'regulator_inserted');
      page = await web.open(`products/${productId}`);
      await card(submissionId).getByRole('link', { name: 'Audit events' }).click();
      await grid().getByText('Submission: regulator inserted').waitFor();
      expect(await page.getByLabel('Submission', { exact: true }).inputValue()).toBe(String(submissionId));
      await grid().getByText('Submission: regulator inserted').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('link', { name: productId }).waitFor();
      expect(await dialog.textContent()).toContain('workflow:regulator-insert-');
      expect(
        await dialog.getByRole('link', { name: String(importId), exact: true }).getAttribute('href'),
      ).toBe(`/app/imports/${importId}`);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Clear' }).click();
      await grid().getByText('Import: created').first().waitFor();
      await recordPicture(page, 'page-audit');
    });

    it('is searched, loads more on scrolling, and announces new events', async () => {
      await web.stack.sql(
        `insert into audit_event (at, actor, action, detail) select now(), 'service:test', 'test.made-up', jsonb_build_object('n', n) from generate_series(1, 350) n`,
      );
      page = await web.open('audit');
      await page.getByLabel('Import', { exact: true }).fill('one');
      await page.getByRole('button', { name: 'Search' }).click();
      expect(await page.locator('input:invalid').count()).toBe(1);
      await page.getByLabel('Import', { exact: true }).fill('');
      await page.getByLabel('Actor').fill('service:test');
      await page.keyboard.press('Enter');
      await page.getByText('100 events, scroll for more').waitFor();
      const first = grid().getByRole('row').nth(1);
      await first.focus();
      for (const count of ['200 events', '300 events', '350 events']) {
        await page.keyboard.press('End');
        await page.getByText(count).waitFor();
      }
      await web.stack.sql(
        "insert into audit_event (at, actor, action) values (now(), 'service:test', 'test.newest')",
      );
      await page.getByRole('button', { name: 'Show 1 new event' }).click();
      await page.getByText('Test: newest').waitFor();
      await page.getByLabel('Action').fill('nothing.like-it');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('No event matches this search').waitFor();
      await page.getByRole('button', { name: 'Clear' }).click();
      await grid().waitFor();
      expect(new URL(page.url()).search).toBe('');
    });
  });

  it('are good at any width, in light and dark', async () => {
    page = await web.open(`products/${productId}`);
    await card(ids[1] ?? 0)
      .getByRole('button', { name: 'Presentations' })
      .click();
    await page.getByText('1 line added, 1 removed').waitFor();
    await expectGoodAtAnyWidth(page);
    await page.goto(`${web.url}statistics`);
    for (const name of ['Products by day', 'Failures by reason'])
      await page.getByRole('region', { name }).getByRole('button', { name: 'Table' }).click();
    await expectGoodAtAnyWidth(page);
    await page.goto(`${web.url}audit`);
    await page.getByRole('grid', { name: 'Audit events' }).getByRole('row').nth(1).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await expectGoodAtAnyWidth(page);
  });
});
