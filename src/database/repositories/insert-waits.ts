/**
 * Reasons for an insert to wait: the pause of all inserting, and uploads without their answer. Each process caches
 * both.
 */

import { createSingleFlightCache } from '../../common/single-flight-cache.ts';
import type { InsertingPause } from '../../domain/regulator.ts';
import { InsertingPause as InsertingPauseEntity } from '../entities/coordination.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';
import { audit, changeAudited } from './audit-trail.ts';

/** Longest delay until a worker notices. */
const NOTICE_MS = 500;

/** The pause is one row, read by every worker at most twice a second. */
export function createInsertingPauseRepository(orm: Orm) {
  async function current(): Promise<InsertingPause | null> {
    const row = await orm.em.fork().findOne(InsertingPauseEntity, { id: 1 });
    return row && { reason: row.reason, actor: row.actor, since: row.since };
  }

  const cached = createSingleFlightCache(current, () => NOTICE_MS);

  return {
    /** The pause; null without one. */
    current,

    /** The cached pause, at most half a second old: read before every step of every product. */
    cached: cached.get,

    /** A second pause changes the reason. */
    async pause(reason: string, actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        await em.upsert(InsertingPauseEntity, { id: 1, reason, actor, since: new Date() });
        await audit(em, { actor, action: 'inserting.paused', detail: { reason } });
      });
    },

    /** Does nothing without a pause. */
    async resume(actor: string): Promise<void> {
      const entry = { actor, action: 'inserting.resumed' };
      await changeAudited(orm, (em) => em.nativeDelete(InsertingPauseEntity, { id: 1 }), entry);
    },
  };
}

/** Cache time of the list. All waiting inserts of a process share one query, by an index. */
const LIST_MS = 50;

/** Cache time of an empty list: reading a package takes longer before its first insert begins. */
const EMPTY_LIST_MS = 250;

export interface UnansweredImports {
  ids: ReadonlySet<number>;
  /** Whether inserts of answered imports run: waiting inserts occupy their places in the workers. */
  othersInsert: boolean;
}

/**
 * Imports whose upload waits for its answer, without those that are being cancelled. Read by every worker at most twenty
 * times a second.
 */
export function createUnansweredImportsRepository(orm: Orm) {
  const db = statements(orm.em.fork());

  async function current(): Promise<UnansweredImports> {
    const rows = await db.rows<{ id: number; othersInsert: boolean }>`
      select id, exists (select from zip_import where status = 'inserting') as others_insert
        from zip_import where status = 'extracting' and cancel_requested_at is null
    `;
    return { ids: new Set(rows.map(({ id }) => id)), othersInsert: rows[0]?.othersInsert ?? false };
  }

  const cached = createSingleFlightCache(current, ({ ids }) => (ids.size === 0 ? EMPTY_LIST_MS : LIST_MS));

  return {
    /** Cached list: read before every insert. */
    cached: cached.get,

    /** Import of a submission; null for an unknown submission. */
    async importOf(submissionId: number): Promise<number | null> {
      const row = await db.row<{ importId: number }>`
        select zip_import_id as import_id from submission where id = ${submissionId}
      `;
      return row?.importId ?? null;
    },
  };
}
