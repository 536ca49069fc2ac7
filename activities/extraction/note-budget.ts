/** Limits the notes of a whole package. Beyond the limit, warnings are counted per file and reasons are shortened. */

import { count } from '../../src/common/text.ts';
import { bytesOf, NOTE_BYTES_OF_A_PACKAGE, shortened } from '../../src/domain/notes.ts';
import type { Judgement } from './verdict.ts';

/** Characters of a reason beyond the limit. */
const SHORT_REASON = 200;

/** Returns a judgement with the notes that still fit the limit. */
export type NoteBudget = (judgement: Judgement) => Judgement;

/** @param spent bytes of notes that an earlier try recorded */
export function createNoteBudget(spent = 0, limit = NOTE_BYTES_OF_A_PACKAGE): NoteBudget {
  let left = limit - spent;

  return (judgement) => {
    const { product, reason, outcome } = judgement;
    const kept = product && { ...product, warnings: warningsWithin(product.warnings) };
    if (outcome.outcome !== 'created') {
      const short = reasonWithin(outcome.reason);
      return { ...judgement, product: kept, reason: short, outcome: { ...outcome, reason: short } };
    }
    if (reason !== null) spend(reason);
    return { ...judgement, product: kept, outcome: { ...outcome, product: kept ?? outcome.product } };
  };

  function warningsWithin(warnings: string[]): string[] {
    if (warnings.length === 0 || spend(...warnings)) return warnings;
    return [
      `${count(warnings.length, 'warning')}, not kept: the package has more than ${limit} bytes of them`,
    ];
  }

  function reasonWithin(reason: string): string {
    return spend(reason) ? reason : shortened(reason, SHORT_REASON);
  }

  /** False if the notes exceed the remaining bytes; smaller notes may still fit. */
  function spend(...notes: string[]): boolean {
    const bytes = bytesOf(notes);
    if (bytes > left) return false;
    left -= bytes;
    return true;
  }
}
