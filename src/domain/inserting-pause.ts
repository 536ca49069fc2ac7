/** All inserting stands still because an operator wants it: no step begins, and uploads are answered as ever. */
export interface InsertingPause {
  /** Why, in the words of who has paused it. */
  reason: string;
  /** As the audit trail names actors. */
  actor: string;
  since: Date;
}

/**
 * For operators, in the Web UI and in answers. Histories name no person: `paused_by` of the answer does.
 *
 * @param pause null when inserting goes on
 */
export function pauseMessage(pause: InsertingPause | null): string {
  if (pause === null) return 'Inserting goes on.';
  return `Inserting was paused at ${pause.since.toISOString()}: ${pause.reason}`;
}
