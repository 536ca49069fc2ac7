/** A process that sends the summary of one import on request, as the activity does, and then reports it. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { createSendSummary } from '../../../activities/send-summary.ts';
import { openDatabase } from '../../../src/database/index.ts';
import { createMailer } from '../../../src/notifications/mail/mailer.ts';

const { DATABASE_URL = '', SMTP_URL = '' } = process.env;
const importId = Number(process.argv[2]);

const database = await openDatabase({ url: DATABASE_URL, encryptionSecrets: ['a secret of the tests only'] });
const mailer = createMailer({ url: SMTP_URL, from: 'from@company.example' });
const sendSummary = createSendSummary({
  database,
  mailer,
  mailDomain: 'company.example',
  summaryLinks: () => [],
});
// A first read compiles and connects: this cost belongs to no import.
await database.imports.find(importId);
process.on('message', async () => {
  await new MockActivityEnvironment().run(sendSummary, { importId, cancelled: false }).then(
    () => process.send?.('sent'),
    (error) => process.send?.(`failed: ${error}`),
  );
});
process.send?.('ready');
