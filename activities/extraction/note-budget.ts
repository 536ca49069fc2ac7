/** The notes of a whole package within bounds: what is beyond is counted per file, or shortened. */
import { bytesOf, NOTE_BYTES_OF_A_PACKAGE, shortened } from '../../src/domain/notes.ts';
import { count } from '../../src/domain/text.ts';
import type { Judgement } from './verdict.ts';

/** Characters of a reason once there are too many notes. */
const SHORT_REASON = 200;

/** Gives a judgement with as many of its notes as the package may still have. */
export type NoteBudget = (judgement: Judgement) => Judgement;

/** @param spent bytes of notes that were kept before, by an earlier try */
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

  /** False when there is not so much left; smaller notes may still have room then. */
  function spend(...notes: string[]): boolean {
    const bytes = bytesOf(notes);
    if (bytes > left) return false;
    left -= bytes;
    return true;
  }
}
