/** Imports whose upload waits for its answer, read by every worker at most twenty times a second. */
import { sql } from 'kysely';
import { createSingleFlightCache } from '../../common/single-flight-cache.ts';
import type { Orm } from '../orm.ts';
import type { Tables } from '../tables.ts';

/** Cache time of the list. All waiting inserts of a process share one query, by an index. */
const NOTICE_MS = 50;

/** Cache time of an empty list: reading a package takes longer before its first insert begins. */
const NONE_MS = 250;

export interface UnansweredImports {
  ids: ReadonlySet<number>;
  /** Whether inserts of answered imports run: waiting inserts occupy their places in the workers. */
  othersInsert: boolean;
}

export function createUnansweredImportsRepository(orm: Orm) {
  const database = () => orm.em.fork().getKysely<Tables>();

  async function current(): Promise<UnansweredImports> {
    const { rows } = await sql<{ id: number; othersInsert: boolean }>`
      select id, exists (select from zip_import where status = 'inserting') as "othersInsert"
        from zip_import where status = 'extracting' and queued_at is null
    `.execute(database());
    return { ids: new Set(rows.map(({ id }) => id)), othersInsert: rows[0]?.othersInsert ?? false };
  }

  const lately = createSingleFlightCache(current, ({ ids }) => (ids.size === 0 ? NONE_MS : NOTICE_MS));

  return {
    /** Cached list: read before every insert. */
    lately: lately.ask,

    /** Import of a submission; null for an unknown submission. */
    async importOf(submissionId: number): Promise<number | null> {
      const row = await database()
        .selectFrom('submission')
        .select('zip_import_id')
        .where('id', '=', submissionId)
        .executeTakeFirst();
      return row?.zip_import_id ?? null;
    },
  };
}
