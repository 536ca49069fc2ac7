/** What operators read of others is in the audit trail: once an hour, so that a page left open does not fill it. */
import type { AuditEntry } from '../database/audit.ts';
import type { Database } from '../database/index.ts';
import { isOperator } from './ownership.ts';
import type { Caller } from './tokens/access-token.ts';

type Read = Pick<AuditEntry, 'action' | 'importId' | 'submissionId' | 'detail'>;

const HOUR_MS = 60 * 60_000;
/** Reads remembered before those are forgotten that would be recorded again anyway. */
const REMEMBERED = 10_000;

export type ReadTrail = ReturnType<typeof createReadTrail>;

/** @param now milliseconds of any clock that only goes forward */
export function createReadTrail(
  auditTrail: Pick<Database['auditTrail'], 'record'>,
  now: () => number = () => performance.now(),
) {
  const recorded = new Map<string, { at: number; written: Promise<void> }>();

  return {
    /**
     * To be called before the answer: what cannot be recorded is not shown.
     *
     * @param owner the client whose records are read; null for those of all clients
     */
    async note(caller: Caller, owner: string | null, read: Read): Promise<void> {
      if (owner === caller.clientId || !isOperator(caller)) return;
      const key = JSON.stringify([caller.actor, read.action, read.importId, read.submissionId, read.detail]);
      const at = now();
      const last = recorded.get(key);
      if (last !== undefined && last.at > at - HOUR_MS) return last.written;
      if (recorded.size >= REMEMBERED) forgetBefore(at - HOUR_MS);
      // Remembered before it is written: a page asks for several things at a time, and each waits for the one record.
      const written = auditTrail.record({ actor: caller.actor, ...read });
      recorded.set(key, { at, written });
      try {
        await written;
      } catch (error) {
        recorded.delete(key);
        throw error;
      }
    },
  };

  function forgetBefore(time: number): void {
    for (const [key, { at }] of recorded) if (at <= time) recorded.delete(key);
  }
}
