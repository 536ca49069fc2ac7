/** Conditions that several statements share: superseded and warned submissions, and the owner of an import. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { SubmissionRow } from './entities/submission.ts';

/**
 * Condition on the submissions `newer` and `s`: `newer` supersedes `s`, which must not overtake it. The newer one is of a
 * later import, whichever was read first (decision §one-insert-per-product). A submission counts as queued if it has left
 * `local`, or a run was started for it.
 */
const NEWER_SUPERSEDES = sql<boolean>`
  newer.product_id = s.product_id and newer.zip_import_id > s.zip_import_id
  and (newer.status <> 'local' or newer.job_id is not null)`;

/** Condition on the submission `s`. */
export const IS_SUPERSEDED = sql<boolean>`exists (select from submission newer where ${NEWER_SUPERSEDES})`;

/** Subquery on the submission `s`: the newest submission that supersedes it; no row without one. */
export const NEWEST_SUPERSEDING = sql<number>`
  (select newer.id from submission newer where ${NEWER_SUPERSEDES} order by newer.zip_import_id desc limit 1)`;

/** Fields of a submission that tell whether it is superseded. */
export type ProductOfImport = Pick<SubmissionRow, 'id' | 'productId' | 'packageImport'>;

/** Maps each superseded submission, by its id, to the newest one that supersedes it. The others are absent. */
export async function newestQueued(
  em: EntityManager,
  submissions: readonly ProductOfImport[],
): Promise<Map<number, number>> {
  if (submissions.length === 0) return new Map();
  const asked = submissions.map(({ id, productId, packageImport }) => ({
    id,
    product_id: productId,
    zip_import_id: packageImport,
  }));
  const { rows } = await sql<{ id: number; newest: number }>`
    select s.id, newest.id as newest
      from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as s(id bigint, product_id text, zip_import_id bigint)
     cross join lateral ${NEWEST_SUPERSEDING} as newest
  `.execute(em.getKysely());
  return new Map(rows.map(({ id, newest }) => [id, newest]));
}

/**
 * Condition on the submission `s`: it has warnings. Tests the size of the column, which PostgreSQL knows without reading the
 * value: warnings may be long and stored out of line. An empty list takes 8 bytes at most.
 */
export const IS_WARNED = sql<boolean>`pg_column_size(s.warnings) > 8`;

/** Imports of one tenant, of all tenants of one client, or all if both are undefined. */
export interface OwnerFilter {
  tenant?: string | undefined;
  clientId?: string | undefined;
}

/**
 * Condition: the import belongs to the tenant or to the client, or all are meant.
 *
 * @param table name or alias of `zip_import` in the statement
 */
export function ownedBy(table: string, { tenant, clientId }: OwnerFilter) {
  if (tenant !== undefined) return sql<boolean>`${sql.ref(`${table}.tenant`)} = ${tenant}`;
  if (clientId !== undefined) return sql<boolean>`${sql.ref(`${table}.client_id`)} = ${clientId}`;
  return sql<boolean>`true`;
}
