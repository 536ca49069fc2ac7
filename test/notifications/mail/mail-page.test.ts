import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { importUrlsAt } from '../../../src/notifications/import-urls.ts';
import { createMailer } from '../../../src/notifications/mail/mailer.ts';
import { renderSummary } from '../../../src/notifications/mail/summary.ts';
import type { SummaryProduct, SummaryRow } from '../../../src/notifications/mail/summary-rows.ts';
import { createSummaryLinks } from '../../../src/notifications/mail/texts.ts';
import { type Mailbox, startMailbox } from '../../../src/trial-parts/mailbox/mailbox.ts';
import { findBrowser, launchBrowser } from '../../support/browser.ts';
import { closing } from '../../support/cleanup.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { summaryFile, summaryOf, summaryProduct } from './support/summaries.ts';

const PICTURE = fileURLToPath(new URL('../../../docs/pictures/summary-mail.png', import.meta.url));
const DESK = { width: 1000, height: 900 };
const TELEPHONE = { width: 390, height: 800 };

const product = (n: number, values: Partial<SummaryRow & SummaryProduct>) =>
  summaryProduct(n, { submissionId: 40 + n, caseId: `CASE-2026-${1000 + n}`, ...values });

const SUMMARY = summaryOf({
  fileName: 'export-2026-01.zip',
  comment: 'January, first part',
  rows: [
    summaryFile(
      'refused',
      '8a9f0f5e-5c55-4d77-9a4b-0d6f1d9d9c11.xml',
      'Product_ID: 99962-26-1 is no product ID',
    ),
    product(1, {
      outcome: 'failed',
      caseId: null,
      reason:
        'The regulator rejected the product: design: Identification_RefillDevice is too short; design: Coil_Resistance must be positive',
    }),
    product(2, {
      outcome: 'not queued',
      caseId: null,
      reason: 'Another submission of the product is being inserted.',
      warnings: [
        'Nicotine_Concentration: 24 mg/ml is above 20 mg/ml (Directive 2014/40/EU Article 20(3)(b))',
      ],
    }),
    product(3, {}),
    product(4, {}),
    summaryFile(
      'skipped',
      '3f0f3b0e-59c5-4e4e-8b0a-7d3b6c0a1f22.xml',
      'The product is unchanged since import 6.',
    ),
  ],
});

const executable = await findBrowser();

describe.runIf(executable)('the summary in a mail page', () => {
  let mailbox: Mailbox;
  let browser: Browser;
  let message: string;
  beforeAll(async () => {
    const directory = await temporaryDirectory();
    mailbox = await closing(startMailbox({ host: '127.0.0.1', smtpPort: 0, pagesPort: 0, directory }));
    const links = createSummaryLinks({
      ...importUrlsAt('https://import.example/api'),
      temporalUiUrl: 'https://temporal.example',
      namespace: 'default',
    });
    const mailer = createMailer({ url: mailbox.smtpUrl, from: 'package-import@company.example' });
    const content = renderSummary(SUMMARY, links({ id: 7, uuid: '0e2f8f0e-7e0e-4b0e-9e0e-0e2f8f0e7e0e' }));
    await mailer.send({ to: ['one@company.example', 'two@company.example'], ...content });
    mailer.close();
    const [mail] = await mailbox.store.list();
    message = `${mailbox.pagesUrl}/messages/${mail?.id}`;
    browser = await closing(launchBrowser(executable ?? ''));
  }, 120_000);

  it.each([
    ['on a desk', DESK],
    ['on a telephone', TELEPHONE],
  ])('is as wide as the page, and starts with the actions: %s', async (_where, viewport) => {
    const page = await browser.newPage({ viewport });
    await page.goto(`${message}/html`);
    // Code as text: this project's types do not include the browser.
    const seen = await page.evaluate(`({
      width: document.documentElement.scrollWidth,
      titles: [...document.querySelectorAll('h1, strong, h2')].map((title) => title.textContent),
      links: [...document.querySelectorAll('a')].map((link) => link.href),
    })`);
    if (process.env.RECORD_PICTURES === '1' && viewport === DESK)
      await page.screenshot({ path: PICTURE, fullPage: true });
    await page.close();
    expect(seen).toEqual({
      width: viewport.width,
      titles: [
        'Package import 7 has finished',
        'Next steps',
        'Failed products',
        'Products that were not queued',
        'Refused files',
        'Inserted products',
        'Skipped files',
      ],
      links: [
        'https://import.example/api/app/imports/7',
        'https://temporal.example/namespaces/default/workflows/package-import-0e2f8f0e-7e0e-4b0e-9e0e-0e2f8f0e7e0e',
      ],
    });
  });

  it('has a text part with the same content', async () => {
    const page = await browser.newPage();
    await page.goto(message);
    const text = await page.locator('pre').innerText();
    await page.close();
    expect(text).toContain('Next steps');
    expect(text.indexOf('package-import retry 7')).toBeLessThan(text.indexOf('99962-26-00001'));
    expect(text.indexOf('Refused files')).toBeLessThan(text.indexOf('99962-26-00003'));
  });
});
