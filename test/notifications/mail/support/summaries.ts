/** Summaries for tests, with the counts of what is in their lists. */
import type { Summary } from '../../../../src/notifications/mail/summary.ts';
import type {
  MailedFileOutcome,
  MailedOutcome,
  SummaryProduct,
  SummaryRow,
} from '../../../../src/notifications/mail/summary-rows.ts';

export function counted(summary: Omit<Summary, 'counts'>): Summary {
  const counts: Record<MailedOutcome, number> = {
    failed: 0,
    unfinished: 0,
    'not queued': 0,
    inserted: 0,
    refused: 0,
    unreadable: 0,
    skipped: 0,
  };
  for (const { outcome } of summary.rows) counts[outcome] += 1;
  return { ...summary, counts };
}

/** A summary of an import with no file and no product, but for these. */
export function summaryOf(values: Partial<Omit<Summary, 'counts'>>): Summary {
  return counted({
    importId: 7,
    fileName: 'package.zip',
    comment: null,
    uploadedAt: new Date('2026-01-31T12:00:00Z'),
    couldNotBeRead: false,
    remark: null,
    rows: [],
    ...values,
  });
}

/** The product of a number, inserted if nothing else is said. */
export function summaryProduct(
  n: number,
  { outcome = 'inserted', reason = null, ...values }: Partial<SummaryRow & SummaryProduct> = {},
): SummaryRow {
  return {
    outcome,
    subject: `99962-26-${String(n).padStart(5, '0')}`,
    reason,
    product: {
      submissionId: n,
      productType: 'Electronic cigarette - Refillable, placed on the market with one type of e-liquid',
      caseId: null,
      warnings: [],
      ...values,
    },
  };
}

export function summaryFile(outcome: MailedFileOutcome, subject: string, reason: string): SummaryRow {
  return { outcome, subject, reason };
}
