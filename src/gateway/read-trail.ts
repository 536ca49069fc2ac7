/** Audits what operators read of other tenants: each read once an hour, so that an open page does not fill the trail. */

import type { Database } from '../database/index.ts';
import type { AuditEntry } from '../database/repositories/audit-trail.ts';
import { isOperator } from './ownership.ts';
import type { Caller } from './tokens/access-token.ts';

type Read = Pick<AuditEntry, 'action' | 'importId' | 'submissionId' | 'detail'>;

const HOUR_MS = 60 * 60_000;
/** Number of cached reads above which those older than an hour are removed. */
const REMEMBERED = 10_000;

export type ReadTrail = ReturnType<typeof createReadTrail>;

/** @param now milliseconds of any monotonic clock */
export function createReadTrail(
  auditTrail: Pick<Database['auditTrail'], 'record'>,
  now: () => number = () => performance.now(),
) {
  const recorded = new Map<string, { at: number; written: Promise<void> }>();

  return {
    /**
     * Records a read. To be called before the answer: a read that cannot be recorded is refused.
     *
     * @param owner the tenant whose records are read; null for those of several tenants
     */
    async note(caller: Caller, owner: string | null, read: Read): Promise<void> {
      if (owner === caller.tenant || !isOperator(caller)) return;
      const key = JSON.stringify([caller.actor, read.action, read.importId, read.submissionId, read.detail]);
      const at = now();
      const last = recorded.get(key);
      if (last !== undefined && last.at > at - HOUR_MS) return last.written;
      if (recorded.size >= REMEMBERED) forgetBefore(at - HOUR_MS);
      // Cached before it is written: concurrent requests of a page wait for the same audit event.
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
