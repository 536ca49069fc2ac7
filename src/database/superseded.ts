/**
 * A submission is superseded when a newer one of its product has been queued: it must not overtake that one. A
 * submission counts as queued if it has left `local`, or a run was started for it.
 */
import type { EntityManager } from '@mikro-orm/postgresql';

const queued = (alias: string) => `${alias}.status <> 'local' or ${alias}.job_id is not null`;

/** Condition on an alias of `submission`: a newer one of its product has been queued. */
export function isSuperseded(alias: string): string {
  return `exists (select 1 from submission newer
    where newer.product_id = ${alias}.product_id and newer.id > ${alias}.id and (${queued('newer')}))`;
}

/** Scalar query on `s`: the newest submission that supersedes it. */
export const NEWEST_QUEUED = `select newer.id from submission newer
  where newer.product_id = s.product_id and newer.id > s.id and (${queued('newer')})
  order by newer.id desc limit 1`;

/** Maps each superseded submission, by its id, to the newest one that supersedes it. The others are absent. */
export async function newestQueued(
  em: EntityManager,
  submissions: readonly { id: number; productId: string }[],
): Promise<Map<number, number>> {
  if (submissions.length === 0) return new Map();
  const rows = await em.execute<{ id: number; newest: number }[]>(
    `select s.id, n.id as newest
       from jsonb_to_recordset(?::jsonb) as s(id bigint, product_id text)
      cross join lateral (${NEWEST_QUEUED}) n`,
    [JSON.stringify(submissions.map(({ id, productId }) => ({ id, product_id: productId })))],
  );
  return new Map(rows.map(({ id, newest }) => [id, newest]));
}
