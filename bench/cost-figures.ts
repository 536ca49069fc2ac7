/** Names of the figures of one inserted product. Other programs compute with them. */
export const COST_FIGURES = {
  insertTransitions: 'state transitions of an insert',
  importTransitions: 'state transitions of its import, per product',
  insertActions: 'billed actions of an insert',
  importActions: 'billed actions of its import, per product',
  insertHistoryBytes: 'history bytes of an insert',
  importHistoryBytes: 'history bytes of its import, per product',
  transactions: 'database transactions',
  databaseBytes: 'space in the database',
  archiveBytes: 'space in the archive',
} as const;

/** Medians, per product. */
export type Cost = Record<keyof typeof COST_FIGURES, number>;
