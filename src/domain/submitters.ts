/** The companies that a client speaks for. Every product belongs to its submitter (decision §products-belong-to-submitters). */

/** IDs of submitters; null if all clients belong to one company and may import every product. */
export type Submitters = readonly string[] | null;

/** The first five digits of a product ID (package format §2). */
export const SUBMITTER_ID_PATTERN = /^[0-9]{5}$/;

/** The submitter ID of a product. */
export function submitterOf(productId: string): string {
  return productId.slice(0, 5);
}

/** Whether a product belongs to one of the submitters. */
export function isOfSubmitters(submitters: Submitters, productId: string): boolean {
  return submitters === null || submitters.includes(submitterOf(productId));
}
