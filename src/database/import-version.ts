/**
 * A tag that changes with every change that a report of an import shows (decision §reports-are-streamed). One statement
 * computes it and returns only the tag. A row's `xmin` is the transaction that wrote its present version: every change
 * sets another one, also within one millisecond. The sum over hashes does not depend on row order. Counters of changes
 * would give the same, but would need maintenance.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { IS_SUPERSEDED } from './superseded.ts';

/** Condition on the submission `s`: a report shows whether it is superseded, because its actions depend on that. */
const SHOWN_AS_SUPERSEDED = sql<boolean>`s.status in ('local', 'regulator_insert_failed') and ${IS_SUPERSEDED}`;

/** Null for an unknown import. */
export async function importVersion(em: EntityManager, importId: number): Promise<string | null> {
  const { rows } = await sql<{ version: string }>`
    select concat_ws('-', i.xmin, n.xmin, s.rows, s.sum, f.rows, f.sum, q.rows, q.sum) as version
      from zip_import i
      left join notification n on n.zip_import_id = i.id
     cross join lateral (
       select count(*) as rows, sum(hashtextextended(concat_ws(':', s.id, s.xmin, ${SHOWN_AS_SUPERSEDED}), 0)) as sum
         from submission s where s.zip_import_id = i.id) s
     cross join lateral (
       select count(*) as rows, sum(hashtextextended(concat_ws(':', f.id, f.xmin), 0)) as sum
         from zip_import_file f where f.zip_import_id = i.id) f
     cross join lateral (
       select count(*) as rows, sum(hashtextextended(concat_ws(':', q.submission_id, q.xmin), 0)) as sum
         from queue_result q where q.zip_import_id = i.id) q
     where i.id = ${importId}
  `.execute(em.getKysely());
  return rows[0]?.version ?? null;
}
