/** A server may end transactions that are idle for long. One that holds a lock during a call elsewhere continues. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newAttachment, newImport, openAgain, openTestDatabase } from '../support/database.ts';
import { runSql } from '../support/servers.ts';

const IDLE_MS = 200;
const callElsewhere = () => sleep(4 * IDLE_MS);

const { url } = await openTestDatabase();
await runSql(
  url,
  `do $$ begin
     execute format('alter database %I set idle_in_transaction_session_timeout = ${IDLE_MS}', current_database());
   end $$`,
);
const database = await openAgain(url);

it('the session is renewed by one process, however long the regulator takes', async () => {
  const { regulatorSession } = database;
  const renewing = regulatorSession.unlessRunning(async () => {
    await callElsewhere();
    return regulatorSession.isRunning();
  });
  expect(await renewing).toBe(true);
});

it('an attachment is stored, however long the storage takes', async () => {
  const attachment = newAttachment();
  await database.referredFiles.recordAttachment(await newImport(database), attachment, callElsewhere);
  expect((await database.retention.recordedAttachments([attachment.storageKey], new Date())).size).toBe(1);
});

it('an attachment is removed, however long the storage takes', async () => {
  expect(await database.retention.removeAttachment('attachments/other', new Date(), callElsewhere)).toBe(
    true,
  );
});
