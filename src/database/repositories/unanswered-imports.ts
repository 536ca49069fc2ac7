/** Imports whose upload still waits for its answer, read by every worker at most twenty times a second. */
import { createLately } from '../../domain/lately.ts';
import type { Orm } from '../orm.ts';
import { query } from '../query.ts';

/** How late a worker may notice: all that wait for an answer ask once in that time, by an index, and stand still meanwhile. */
const NOTICE_MS = 50;

/** Where there are none: a package has to be read before the first insert of it can begin. */
const NONE_MS = 250;

export interface UnansweredImports {
  ids: ReadonlySet<number>;
  /** Whether imports that have their answer are being inserted: theirs are the places that inserts without one wait in. */
  othersInsert: boolean;
}

export function createUnansweredImportsRepository(orm: Orm) {
  async function current(): Promise<UnansweredImports> {
    const rows = await query<{ id: number; others_insert: boolean }>(orm, UNANSWERED, []);
    return { ids: new Set(rows.map(({ id }) => id)), othersInsert: rows[0]?.others_insert ?? false };
  }

  const lately = createLately(current, ({ ids }) => (ids.size === 0 ? NONE_MS : NOTICE_MS));

  return {
    /** As they were a moment ago: asked before every insert. */
    lately: lately.ask,

    /** Null when the submission is not there. */
    async importOf(submissionId: number): Promise<number | null> {
      const [row] = await query<{ id: number }>(orm, IMPORT_OF, [submissionId]);
      return row?.id ?? null;
    },
  };
}

const UNANSWERED = `select id, exists (select from zip_import where status = 'inserting') as others_insert
  from zip_import where status = 'extracting' and queued_at is null`;
const IMPORT_OF = `select zip_import_id as id from submission where id = $1`;
