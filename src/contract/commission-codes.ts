/**
 * Codes of faults that the Commission's gateway reports ("XML error messages for the EU-CEG system" 1.0 of 13 May
 * 2016). Here are those of a file whose structure is wrong. The copies of the list that could be read end before the
 * codes of the rules for products, so findings about rules have none.
 */
export const STRUCTURE_CODES = {
  submitter: 'ERR-STRUCTURE-0001',
  attachment: 'ERR-STRUCTURE-0002',
  product: 'ERR-STRUCTURE-0003',
} as const;

/** Adds the code to a reason about the structure of a file. */
export function ofStructure<Reason extends object>(kind: keyof typeof STRUCTURE_CODES, reason: Reason) {
  return { ...reason, commission_code: STRUCTURE_CODES[kind] };
}
