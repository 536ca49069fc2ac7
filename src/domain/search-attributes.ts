/** Custom search attributes of the workflows, by which operators find runs. */
export const SEARCH_ATTRIBUTES = {
  packageImportId: { name: 'PackageImportId', type: 'INT' },
  submissionId: { name: 'SubmissionId', type: 'INT' },
  productId: { name: 'ProductId', type: 'KEYWORD' },
} as const;

/** Attributes of the runs of an import: its own and those of its batches. */
export function importAttributes(importId: number) {
  return [{ key: SEARCH_ATTRIBUTES.packageImportId, value: importId }];
}
