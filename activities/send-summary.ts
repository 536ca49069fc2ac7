/** The one summary e-mail of an import: `pending → sending → sent | error` (interface §3.2). */
import type { PackageImportRow } from '../src/database/entities/package-import.ts';
import type { StoredReport } from '../src/database/repositories/imports.ts';
import { messageOf } from '../src/domain/errors.ts';
import { summaryMessageId } from '../src/domain/ids.ts';
import { IMPORT_CANCELLED } from '../src/domain/queue.ts';
import type { SubmissionStatus } from '../src/domain/submission.ts';
import {
  type ProductOutcome,
  renderSummary,
  type Summary,
  type SummaryProduct,
} from '../src/mail/summary.ts';
import type { ImportDependencies } from './dependencies.ts';
import { outliving } from './outliving.ts';

/** Tries that may be lost with their process; then the mail is not sent. */
const DEATHS_ALLOWED = 10;

const OUTCOMES: Readonly<Record<SubmissionStatus, ProductOutcome>> = {
  local: 'not queued',
  regulator_inserting: 'unfinished',
  regulator_inserted: 'inserted',
  regulator_insert_failed: 'failed',
};

interface SummaryInput {
  importId: number;
  /** The import's record says so only afterwards: it is over when its mail is out. Workflows of 1.0.0 leave it out. */
  cancelled?: boolean;
}

export function createSendSummary({ database, mailer, mailDomain, summaryLinks }: ImportDependencies) {
  /**
   * Returns at once when there is nobody to write to, or the mail was sent. A crash between the mail
   * server's acceptance and our record may send it again, under the same Message-ID.
   */
  return async function sendSummary({ importId, cancelled = false }: SummaryInput): Promise<void> {
    const record = await database.imports.find(importId);
    if (!record || !(await database.notifications.beginSending(importId))) return;
    try {
      await outliving({ what: 'Sending the summary', deathsAllowed: DEATHS_ALLOWED }, () =>
        send(record, cancelled),
      );
    } catch (error) {
      await database.notifications.recordError(importId, messageOf(error));
      throw error;
    }
    await database.notifications.recordSent(importId);
  };

  async function send(record: PackageImportRow, cancelled: boolean): Promise<void> {
    const report = await database.imports.report(record.id);
    const email = report.notification?.email;
    if (email === undefined) return;
    const summary = summaryOf(record, report, cancelled);
    const content = renderSummary(summary, summaryLinks(record, hasRepairPack(summary)));
    await mailer.send({ to: email, ...content, messageId: summaryMessageId(record.uuid, mailDomain) });
  }
}

export function summaryOf(
  record: PackageImportRow,
  { submissions, files, queueResults }: StoredReport,
  cancelled: boolean,
): Summary {
  const results = new Map(queueResults.map((result) => [result.submission, result]));
  const filesOf = (outcome: 'failed' | 'skipped', ...kinds: string[]) =>
    files
      .filter((file) => file.outcome === outcome && kinds.includes(file.kind))
      .map(({ xmlFile, reason }) => ({ xmlFile, reason }));
  const products = submissions.map((submission): SummaryProduct => {
    const { id, productId, productType, status, caseId, failureReason, warnings } = submission;
    const queueResult = results.get(id);
    const whyNot = queueResult?.message ?? (cancelled ? IMPORT_CANCELLED : 'It was not queued.');
    const reason = status === 'local' ? notQueued(id, whyNot) : (failureReason ?? null);
    return {
      submissionId: id,
      productId,
      productType,
      outcome: OUTCOMES[status],
      caseId: caseId ?? null,
      reason,
      warnings,
    };
  });
  return {
    importId: record.id,
    fileName: record.fileName,
    comment: record.comment ?? null,
    uploadedAt: record.uploadedAt,
    remark: cancelled ? IMPORT_CANCELLED : null,
    products,
    failedFiles: filesOf('failed', 'product'),
    skippedFiles: filesOf('skipped', 'product'),
    unreadableFiles: filesOf('failed', 'attachment', 'submitter'),
  };
}

/** Of files that were refused, and of products that were not inserted. */
function hasRepairPack({ products, failedFiles }: Summary): boolean {
  return failedFiles.length > 0 || products.some(({ outcome }) => outcome !== 'inserted');
}

/** Why a product was not queued, and how to run it. */
function notQueued(submissionId: number, why: string): string {
  const how = `Run it with POST /regulator/submissions/${submissionId}/actions/regulator-insert.`;
  return `${why} ${how}`;
}
