/** A summary stays a mail, however much there is to say; and a slow mail server gets it once. */

import { SMTPServer } from 'smtp-server';
import { describe, expect, it } from 'vitest';
import { importUrlsAt } from '../../../src/notifications/import-urls.ts';
import { createMailer } from '../../../src/notifications/mail/mailer.ts';
import { renderSummary } from '../../../src/notifications/mail/summary.ts';
import {
  FILE_OUTCOMES,
  type MailedProductOutcome,
  type SummaryProduct,
  type SummaryRow,
} from '../../../src/notifications/mail/summary-rows.ts';
import { createSummaryLinks } from '../../../src/notifications/mail/texts.ts';
import { listenLocally } from '../../support/local-server.ts';
import { summaryFile, summaryOf, summaryProduct } from './support/summaries.ts';

const MB = 1024 * 1024;

function product(
  n: number,
  outcome: MailedProductOutcome,
  values: Partial<SummaryRow & SummaryProduct> = {},
): SummaryRow {
  const caseId = outcome === 'inserted' ? `CASE-${n}` : null;
  const reason = outcome === 'failed' ? 'The regulator rejected the product: too short' : null;
  return summaryProduct(n, { outcome, caseId, reason, ...values });
}

const upTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

/** A mail server that takes its time before it says that it has taken a mail. */
async function slowServer(answerAfterMs: number) {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      stream.toArray().then((pieces) => {
        mails.push(Buffer.concat(pieces as Buffer[]).toString());
        setTimeout(done, answerAfterMs);
      }, done);
    },
  });
  server.on('error', () => {});
  return { url: `smtp://127.0.0.1:${await listenLocally(server.server)}`, mails };
}

describe('the summary of 10,000 products', () => {
  it('is below 1 MB on the wire, and counts all of them', async () => {
    const summary = summaryOf({ rows: upTo(10_000).map((n) => product(n, 'inserted')) });
    const { url, mails } = await slowServer(0);
    const mailer = createMailer({ url, from: 'from@company.example' });
    await mailer.send({ to: ['to@company.example'], ...renderSummary(summary) });
    mailer.close();
    expect(mails[0]?.length).toBeLessThan(MB);
    expect(mails[0]).toContain('10000 inserted, 0 failed');
  });

  it('is below 1 MB also with long texts that must be escaped', async () => {
    const [reason, warnings] = ['"<é>&\''.repeat(2_000), upTo(500).map((n) => `${n} ${'<"'.repeat(300)}`)];
    const files = FILE_OUTCOMES.flatMap((outcome) =>
      upTo(5_000).map((n) => summaryFile(outcome, `${'&'.repeat(200)}${n}.xml`, reason)),
    );
    const products = upTo(10_000).map((n) => product(n, 'failed', { reason, warnings }));
    const summary = summaryOf({ rows: [...products, ...files] });
    const { url, mails } = await slowServer(0);
    const mailer = createMailer({ url, from: 'from@company.example' });
    await mailer.send({ to: ['to@company.example'], ...renderSummary(summary) });
    mailer.close();
    expect(mails[0]?.length).toBeLessThan(MB);
    expect(mails[0]).toContain('10000 failed');
  });
});

describe('the table', () => {
  it('is attached only when rows are left out, complete if it fits, without formulas', () => {
    const short = summaryOf({ rows: upTo(50).map((n) => product(n, 'inserted')) });
    expect(renderSummary(short).attachments).toEqual([]);
    const files = upTo(60).map((n) => summaryFile('refused', `=HYPERLINK("http://${n}")`, '+1'));
    const { text, attachments } = renderSummary(
      summaryOf({ rows: [...files, ...upTo(300).map((n) => product(n, 'failed'))] }),
    );
    expect(text).toContain('All 360 rows are in the attached file package-import-7.csv.');
    const lines = attachments[0]?.content.trim().split('\n') ?? [];
    expect(lines).toHaveLength(361);
    expect(lines[1]).toContain(`'=HYPERLINK`);
    expect(lines[1]).toContain(`'+1`);
  });
});

describe('links', () => {
  const record = { id: 7, uuid: '5b1f0d6e-0000-4000-8000-000000000000' };

  it('lead to the import on the web page, and to the run', () => {
    const links = createSummaryLinks({
      ...importUrlsAt('https://import.example/api/'),
      temporalUiUrl: 'https://temporal.example',
      namespace: 'imports',
    });
    const { text, html } = renderSummary(summaryOf({ rows: [product(1, 'failed')] }), links(record));
    for (const url of [
      'https://import.example/api/app/imports/7',
      `https://temporal.example/namespaces/imports/workflows/package-import-${record.uuid}`,
    ]) {
      expect(text).toContain(` ${url}\n`);
      expect(html).toContain(`<a href="${url}">`);
    }
  });

  it('are absent without a configured address', () => {
    const links = createSummaryLinks({
      ...importUrlsAt(null),
      temporalUiUrl: null,
      namespace: 'imports',
    });
    expect(links(record)).toEqual([]);
  });
});

describe('a mail server that is slow', () => {
  it('gets the mail once, as long as it answers in time', async () => {
    const mail = { to: ['to@company.example'], subject: 'x', text: 'x' };
    const { url, mails } = await slowServer(1_000);
    const patient = createMailer({ url, from: 'from@company.example', silenceMs: 3_000 });
    await patient.send(mail);
    expect(mails).toHaveLength(1);
    patient.close();
    const hasty = createMailer({ url, from: 'from@company.example', silenceMs: 300 });
    await expect(hasty.send(mail)).rejects.toThrow('could not accept the mail');
    hasty.close();
  });
});
