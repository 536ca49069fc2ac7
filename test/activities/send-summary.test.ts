/** The summary of an import is mailed once, also if its record fails: against a real PostgreSQL. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { createSendSummary } from '../../activities/send-summary.ts';
import { newImport, openTestDatabase } from '../support/database.ts';

const { database } = await openTestDatabase();

it('a mail that the server has accepted is recorded in a later attempt, with heartbeats, and not sent again', async () => {
  const importId = await newImport(database, { notificationEmail: 'person@company.example' });
  let mails = 0;
  let heartbeats = 0;
  const environment = new MockActivityEnvironment();
  environment.on('heartbeat', () => {
    heartbeats += 1;
  });
  const { notifications } = database;
  const failures = [new Error('the connection is lost'), new Error('it is lost again')];
  const sendSummary = createSendSummary({
    database: {
      ...database,
      notifications: {
        ...notifications,
        async recordSent(id, refused) {
          const failure = failures.shift();
          if (failure) throw failure;
          return notifications.recordSent(id, refused);
        },
      },
    },
    mailer: {
      async send() {
        mails += 1;
        return { refused: [] };
      },
      close() {},
    },
    mailDomain: 'company.example',
    summaryLinks: () => [],
  });
  const sending = () => environment.run(sendSummary, { importId, cancelled: false });
  // Temporal repeats a failed activity.
  await sending().catch(sending);
  expect(mails).toBe(1);
  expect(heartbeats).toBeGreaterThan(0);
  expect(await notifications.isDue(importId)).toBe(false);
});
