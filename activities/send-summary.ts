/** The one summary e-mail of an import: `pending → sending → sent | error` (interface §3.2). */

import { retrying } from '../src/common/retrying.ts';
import { fileReasonText, reasonsText, reasonText } from '../src/contract/reasons.ts';
import { addressesIn } from '../src/contract/recipients.ts';
import type { SubmissionStatus } from '../src/contract/statuses.ts';
import type { PackageImportRow } from '../src/database/entities/package-import.ts';
import type { FileList } from '../src/database/reports/files.ts';
import type { ReportedSubmission } from '../src/database/reports/submissions.ts';
import type { ImportMoment } from '../src/database/repositories/reports.ts';
import { mailFailureText } from '../src/domain/errors.ts';
import { summaryMessageId } from '../src/domain/ids.ts';
import { importCancelled } from '../src/domain/queue.ts';
import { renderSummary, type Summary } from '../src/notifications/mail/summary.ts';
import {
  firstRows,
  MAILED_PRODUCT_OUTCOMES,
  type MailedFileOutcome,
  type MailedProductOutcome,
  type SummaryRow,
} from '../src/notifications/mail/summary-rows.ts';
import { heartbeating } from './activity-context.ts';
import type { ImportDependencies } from './dependencies.ts';

type SummaryDependencies = Pick<ImportDependencies, 'mailer' | 'mailDomain' | 'summaryLinks'> & {
  database: Pick<ImportDependencies['database'], 'imports' | 'notifications' | 'reports'>;
};

interface SummaryInput {
  importId: number;
  /** Whether the import was cancelled. Its record says so only after the mail is sent. */
  cancelled: boolean;
}

/** The record of a sent mail, over minutes: the next attempt of the activity would send a second mail. */
const RECORDING = { attempts: 12, firstPauseMs: 1_000, longestPauseMs: 30_000, isWorthRetrying: () => true };

export function createSendSummary({ database, mailer, mailDomain, summaryLinks }: SummaryDependencies) {
  /**
   * Does nothing without recipients or after the mail was sent. A crash between the mail server's acceptance and our
   * record, or an outage of the database for minutes, may send it again, under the same Message-ID.
   */
  return ({ importId, cancelled }: SummaryInput): Promise<void> =>
    heartbeating(async () => {
      const record = await database.imports.find(importId);
      if (!record || !(await database.notifications.beginSending(importId))) return;
      let refused: string | null = null;
      try {
        refused = await send(record, cancelled);
      } catch (error) {
        await database.notifications.recordError(importId, mailFailureText(error));
        throw error;
      }
      await retrying(() => database.notifications.recordSent(importId, refused), RECORDING);
    });

  /** Returns the recipients that the mail server refused while it accepted others; null for none. */
  async function send(record: PackageImportRow, cancelled: boolean): Promise<string | null> {
    const { email, summary } = await database.reports.onSnapshot(record.id, async (moment) => ({
      email: (await moment.notification())?.email,
      summary: await summaryOf(record, moment, cancelled),
    }));
    if (email === undefined) return null;
    const content = renderSummary(summary, summaryLinks(record));
    const { refused } = await mailer.send({
      to: addressesIn(email),
      ...content,
      messageId: summaryMessageId(record.uuid, mailDomain),
    });
    return refused.length === 0 ? null : `The mail server refused the mail for ${refused.join('; ')}`;
  }
}

const STATUSES: Readonly<Record<MailedProductOutcome, SubmissionStatus>> = {
  'not queued': 'local',
  unfinished: 'regulator_inserting',
  inserted: 'regulator_inserted',
  failed: 'regulator_insert_failed',
};

const LISTS: Readonly<Record<MailedFileOutcome, FileList>> = {
  refused: 'failed',
  unreadable: 'unreadable',
  skipped: 'skipped',
};

/** The content. Its lists are limited to the size of a mail (decision §mails). @param record the import of `moment` */
export async function summaryOf(
  record: PackageImportRow,
  moment: ImportMoment,
  cancelled: boolean,
): Promise<Summary> {
  const files = (outcome: MailedFileOutcome) => firstRows(filePages(moment, outcome));
  const couldNotBeRead = record.status === 'failed';
  const remark = cancelled ? importCancelled(record.cancelledBy ?? null) : (record.failureReason ?? null);
  const { progress } = await moment.submissionCounts();
  const { failed, skipped, unreadable } = await moment.fileCounts();
  return {
    importId: record.id,
    fileName: record.fileName,
    comment: record.comment ?? null,
    uploadedAt: record.uploadedAt,
    couldNotBeRead,
    remark,
    counts: {
      failed: progress.regulator_insert_failed,
      unfinished: progress.regulator_inserting,
      'not queued': progress.local,
      inserted: progress.regulator_inserted,
      refused: failed,
      unreadable,
      skipped,
    },
    rows: [
      ...(await files('refused')),
      ...(await firstRows(productPages(moment, remark))),
      ...(await files('unreadable')),
      ...(await files('skipped')),
    ],
  };
}

async function* filePages(moment: ImportMoment, outcome: MailedFileOutcome): AsyncGenerator<SummaryRow[]> {
  for await (const page of moment.files(LISTS[outcome]))
    yield page.map(({ xmlFile: subject, productId, reasons }) => ({
      outcome,
      subject,
      reason: fileReasonText(productId, reasons),
    }));
}

/** Products in the order of the summary: by outcome, and those with warnings first. */
async function* productPages(moment: ImportMoment, remark: string | null): AsyncGenerator<SummaryRow[]> {
  for (const outcome of MAILED_PRODUCT_OUTCOMES)
    for (const warned of [true, false])
      for await (const page of moment.submissions({ statuses: [STATUSES[outcome]], warned })) {
        const warnings = await moment.warnings(warned ? page.map(({ id }) => id) : []);
        yield page.map((submission) => ({
          outcome,
          subject: submission.productId,
          reason: reasonOf(submission, remark),
          product: {
            submissionId: submission.id,
            productType: submission.productType,
            caseId: submission.caseId,
            warnings: warnings.get(submission.id)?.map(reasonText) ?? [],
          },
        }));
      }
}

/** The reason why a product failed or was not queued. */
function reasonOf({ status, failureReason, queueResult }: ReportedSubmission, remark: string | null) {
  if (status !== 'local') return failureReason && reasonsText(failureReason);
  return queueResult?.message ?? remark ?? 'The product was not queued.';
}
