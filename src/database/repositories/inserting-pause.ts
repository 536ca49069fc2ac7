/** The pause of all inserting: one row, read by every worker at most twice a second. */

import { createSingleFlightCache } from '../../common/single-flight-cache.ts';
import type { InsertingPause } from '../../domain/inserting-pause.ts';
import { audit } from '../audit.ts';
import { InsertingPause as InsertingPauseEntity } from '../entities/inserting-pause.ts';
import type { Orm } from '../orm.ts';

/** Longest delay until a worker notices. */
const NOTICE_MS = 500;

export function createInsertingPauseRepository(orm: Orm) {
  async function current(): Promise<InsertingPause | null> {
    const row = await orm.em.fork().findOne(InsertingPauseEntity, { id: 1 });
    return row && { reason: row.reason, actor: row.actor, since: row.since };
  }

  const lately = createSingleFlightCache(current, () => NOTICE_MS);

  return {
    /** The pause; null without one. */
    current,

    /** The cached pause, at most half a second old: read before every step of every product. */
    lately: lately.ask,

    /** A second pause changes the reason. */
    async pause(reason: string, actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        await em.upsert(InsertingPauseEntity, { id: 1, reason, actor, since: new Date() });
        await audit(em, [{ actor, action: 'inserting.paused', detail: { reason } }]);
      });
    },

    /** Does nothing without a pause. */
    async resume(actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        const resumed = await em.nativeDelete(InsertingPauseEntity, { id: 1 });
        if (resumed > 0) await audit(em, [{ actor, action: 'inserting.resumed' }]);
      });
    },
  };
}
