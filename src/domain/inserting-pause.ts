/** An operator has paused all inserting: no step begins. Uploads are still answered. */
export interface InsertingPause {
  /** The operator's reason. */
  reason: string;
  /** Actor as in the audit trail. */
  actor: string;
  since: Date;
}

/**
 * Message for operators, in the Web UI and in answers. Histories name no person; `paused_by` of the answer does.
 *
 * @param pause null if inserting is not paused
 */
export function pauseMessage(pause: InsertingPause | null): string {
  if (pause === null) return 'Inserting is running.';
  return `Inserting was paused at ${pause.since.toISOString()}: ${pause.reason}`;
}
