/** Answers list their fields (decision §answers): a field that is not named here is not sent. */
import { plainReason } from '../../contract/reasons.ts';
import type { ImportOutcome } from '../../contract/schemas/import-outcomes.ts';
import type { Reason } from '../../contract/types.ts';
import type { ListedOutcome } from '../../database/repositories/import-outcomes.ts';
import { presentUnreadable } from './package-import.ts';
import { presentSubmission } from './submission.ts';

export function presentOutcome(listed: ListedOutcome): ImportOutcome {
  const { place, outcome, submission, file } = listed;
  const shown = submission && presentSubmission(submission.row, submission.offersInsert);
  return {
    id: place,
    outcome,
    xml_file: shown?.xml_file ?? file?.xmlFile ?? '',
    product_id: shown?.product_id ?? file?.productId ?? null,
    submission: shown,
    reasons: reasonsOf(listed),
  };
}

function reasonsOf({ outcome, submission, file, queueMessage }: ListedOutcome): Reason[] {
  if (queueMessage !== null) return [plainReason(queueMessage)];
  if (file !== null) return outcome === 'unreadable' ? presentUnreadable(file) : file.reasons;
  return submission?.row.failureReason ?? [];
}
