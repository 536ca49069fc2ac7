/**
 * A word that changes with everything that a report of an import shows (decision §reports-are-streamed), from one statement that
 * gives nothing of the rows away but that. A row's `xmin` is the transaction that wrote this version of it: every change
 * gives it another, whoever makes it and however many come in the same millisecond, and nothing else does. A sum over
 * hashes does not depend on an order; of counters of changes it would be no better, and somebody would have to count.
 */
import type { EntityManager } from '@mikro-orm/postgresql';

/** Which submissions offer an action depends, for these, on whether a newer one of the product has been queued. */
const WITH_ACTIONS = `'local', 'regulator_insert_failed'`;

const VERSION = `
  select concat_ws('-', i.xmin, n.xmin, s.rows, s.sum, f.rows, f.sum, q.rows, q.sum) as version
    from zip_import i
    left join notification n on n.zip_import_id = i.id
   cross join lateral (
     select count(*) as rows, sum(hashtextextended(concat_ws(':', s.id, s.xmin, s.status in (${WITH_ACTIONS}) and exists (
              select 1 from submission newer
               where newer.product_id = s.product_id and newer.id > s.id
                 and (newer.status <> 'local' or newer.job_id is not null))), 0)) as sum
       from submission s where s.zip_import_id = i.id) s
   cross join lateral (
     select count(*) as rows, sum(hashtextextended(concat_ws(':', f.id, f.xmin), 0)) as sum
       from zip_import_file f where f.zip_import_id = i.id) f
   cross join lateral (
     select count(*) as rows, sum(hashtextextended(concat_ws(':', q.submission_id, q.xmin), 0)) as sum
       from queue_result q where q.zip_import_id = i.id) q
   where i.id = ?`;

/** Null where there is no such import. */
export async function importVersion(em: EntityManager, importId: number): Promise<string | null> {
  const [row] = await em.execute<{ version: string }[]>(VERSION, [importId]);
  return row?.version ?? null;
}
