/** Which companies a client speaks for: every product belongs to its submitter (decision §products-belong-to-submitters). */

/** IDs of submitters; null where all clients belong to one company and may see every product. */
export type Submitters = readonly string[] | null;

/** As the first five digits of a product ID have it (package format §2). */
export const SUBMITTER_ID_PATTERN = /^[0-9]{5}$/;

/** The ID of the submitter that a product belongs to. */
export function submitterOf(productId: string): string {
  return productId.slice(0, 5);
}

/** Whether a product belongs to one of the submitters. */
export function isOfSubmitters(submitters: Submitters, productId: string): boolean {
  return submitters === null || submitters.includes(submitterOf(productId));
}
