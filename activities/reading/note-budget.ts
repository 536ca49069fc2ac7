/** Limits the notes of a whole package. Beyond the limit, warnings are counted per file and reasons are shortened. */

import { count } from '../../src/common/text.ts';
import { plainReason } from '../../src/contract/reasons.ts';
import type { Reason } from '../../src/contract/types.ts';
import { bytesOf, NOTE_BYTES_OF_A_PACKAGE, shortened } from '../../src/domain/notes.ts';
import type { Judgement } from './verdict.ts';

/** Characters of the text of a reason beyond the limit. */
const SHORT_REASON = 200;

/** Returns a judgement with the notes that still fit the limit. */
type NoteBudget = (judgement: Judgement) => Judgement;

/** @param spent bytes of notes that an earlier attempt recorded */
export function createNoteBudget(spent = 0, limit = NOTE_BYTES_OF_A_PACKAGE): NoteBudget {
  let left = limit - spent;

  return (judgement) => {
    const { product, reasons, outcome } = judgement;
    const kept = product && { ...product, warnings: warningsWithin(product.warnings) };
    if (outcome.outcome !== 'created') {
      const short = reasonsWithin(outcome.reasons);
      return { ...judgement, product: kept, reasons: short, outcome: { ...outcome, reasons: short } };
    }
    spend(reasons);
    return { ...judgement, product: kept, outcome: { ...outcome, product: kept ?? outcome.product } };
  };

  function warningsWithin(warnings: Reason[]): Reason[] {
    if (warnings.length === 0 || spend(warnings)) return warnings;
    const text = `${count(warnings.length, 'warning')} left out: the warnings of the package have more than ${limit} bytes`;
    return [plainReason(text)];
  }

  /** Keeps the first reason, which is never left out. */
  function reasonsWithin(reasons: Reason[]): Reason[] {
    const [first, ...others] = reasons;
    if (first === undefined || spend(reasons)) return reasons;
    const kept = { ...first, text: shortened(first.text, SHORT_REASON) };
    return others.length === 0 ? [kept] : [kept, plainReason(`… and ${others.length} more`)];
  }

  /** False if the notes exceed the remaining bytes; smaller notes may still fit. */
  function spend(notes: Reason[]): boolean {
    const bytes = bytesOf(notes);
    if (bytes > left) return false;
    left -= bytes;
    return true;
  }
}
