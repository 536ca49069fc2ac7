/** The one summary e-mail of an import: `pending → sending → sent | error` (interface §3.2). */

import { addressesIn } from '../src/contract/recipients.ts';
import type { PackageImportRow } from '../src/database/entities/package-import.ts';
import { mailFailureText } from '../src/domain/errors.ts';
import { summaryMessageId } from '../src/domain/ids.ts';
import { hasRepairPack, renderSummary } from '../src/notifications/mail/summary.ts';
import type { ImportDependencies } from './dependencies.ts';
import { limitLostTries } from './limit-lost-tries.ts';
import { summaryOf } from './summary-of.ts';

type SummaryDependencies = Pick<ImportDependencies, 'mailer' | 'mailDomain' | 'summaryLinks'> & {
  database: Pick<ImportDependencies['database'], 'imports' | 'notifications' | 'reports'>;
};

/** Tries that may be lost with their process before the mail is given up. */
const DEATHS_ALLOWED = 10;

interface SummaryInput {
  importId: number;
  /** Whether the import was cancelled. Its record says so only after the mail is sent. */
  cancelled: boolean;
}

export function createSendSummary({ database, mailer, mailDomain, summaryLinks }: SummaryDependencies) {
  /**
   * Does nothing without recipients or after the mail was sent. A crash between the mail server's acceptance and our
   * record may send it again, under the same Message-ID.
   */
  return async function sendSummary({ importId, cancelled }: SummaryInput): Promise<void> {
    const record = await database.imports.find(importId);
    if (!record || !(await database.notifications.beginSending(importId))) return;
    let refused: string | null = null;
    try {
      refused = await limitLostTries({ what: 'Sending the summary', deathsAllowed: DEATHS_ALLOWED }, () =>
        send(record, cancelled),
      );
    } catch (error) {
      await database.notifications.recordError(importId, mailFailureText(error));
      throw error;
    }
    await database.notifications.recordSent(importId, refused);
  };

  /** Returns the recipients that the mail server refused while it accepted others; null for none. */
  async function send(record: PackageImportRow, cancelled: boolean): Promise<string | null> {
    const { email, summary } = await database.reports.onSnapshot(record.id, async (moment) => ({
      email: (await moment.notification())?.email,
      summary: await summaryOf(record, moment, cancelled),
    }));
    if (email === undefined) return null;
    const content = renderSummary(summary, summaryLinks(record, hasRepairPack(summary)));
    const { refused } = await mailer.send({
      to: addressesIn(email),
      ...content,
      messageId: summaryMessageId(record.uuid, mailDomain),
    });
    return refused.length === 0 ? null : `The mail server refused the mail for ${refused.join('; ')}`;
  }
}
