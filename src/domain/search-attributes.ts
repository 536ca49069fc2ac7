/** Custom search attributes of the workflows, and what an insert's memo says (design §6). */
export const SEARCH_ATTRIBUTES = {
  packageImportId: { name: 'PackageImportId', type: 'INT' },
  submissionId: { name: 'SubmissionId', type: 'INT' },
  productId: { name: 'ProductId', type: 'KEYWORD' },
} as const;

/** Memo of a `regulator-insert` run: tells whose run it is without asking its worker. */
export interface InsertMemo {
  submissionId: number;
}
