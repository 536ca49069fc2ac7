/** Texts of reasons. The service keeps reasons as data; only these functions make a text of them. */
import type { Reason } from './types.ts';

/** Takes the place of the notes of an import's files after their retention. */
export const NOTES_REMOVED =
  'Retention has removed the list of the files that were refused, skipped or unreadable.';

export const NO_PRODUCTS =
  'The package has no products. Product files belong in export/ecigarette-product-submissions.';

/** A reason without a place in a product file. */
export function plainReason(text: string): Reason {
  return { path: null, line: null, check: null, text };
}

/**
 * `BrandName is empty (Product/Presentations/Presentation[2]/BrandName, line 31)`, with the check as the last in
 * brackets
 */
export function reasonText({ path, line, check, text }: Reason): string {
  const where = [path, line === null ? null : `line ${line}`, check].filter((part) => part !== null);
  return where.length === 0 ? text : `${text} (${where.join(', ')})`;
}

/** All reasons of a product file in one text. It begins with the product ID, if that could be read. */
export function fileReasonText(productId: string | null, reasons: readonly Reason[]): string {
  return (productId === null ? '' : `${productId}: `) + reasonsText(reasons);
}

/** All reasons in one text. */
export function reasonsText(reasons: readonly Reason[]): string {
  return reasons.map(reasonText).join('; ');
}
