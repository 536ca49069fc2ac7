/** Conditions that several statements share: on submissions, on their failures, and on the owner of an import. */
import { sql } from 'kysely';
import type { FailureCode, FailureFilter } from '../contract/failures.ts';
import { INSERT_STEPS, type InsertStep } from '../contract/steps.ts';

/**
 * Condition on the submission `newer` and an older submission or file: `newer` supersedes it, and must not be
 * overtaken. The newer one is of a later import, whichever was read first (decision §one-insert-per-product). A queued
 * submission has left `local`.
 *
 * @param older its alias in the statement: that of a submission or of a file
 */
export function newerSupersedes(older: 's' | 'f') {
  return sql`newer.product_id = ${sql.ref(`${older}.product_id`)}
    and newer.zip_import_id > ${sql.ref(`${older}.zip_import_id`)} and newer.status <> 'local'`;
}

/** Condition on the submission `s`. */
export const IS_SUPERSEDED = sql`exists (select from submission newer where ${newerSupersedes('s')})`;

/** Subquery on the submission `s`: the newest submission that supersedes it; no row without one. */
export const NEWEST_SUPERSEDING = sql<number>`
  (select newer.id from submission newer where ${newerSupersedes('s')} order by newer.zip_import_id desc limit 1)`;

/** @param alias of a row with the status of submissions in the statement */
const hasRunnableStatus = (alias: 's' | 'c') =>
  sql`${sql.raw(alias)}.status in ('local', 'regulator_insert_failed')`;

/** Condition on the submission `s`: an insert may begin (`isRunnable`). An index holds only such rows. */
export const IS_RUNNABLE = hasRunnableStatus('s');

/** Condition on the submission `s`: it offers an insert. Its package has been read: queuing has begun, or is over. */
export const OFFERS_INSERT = sql`${IS_RUNNABLE} and not ${IS_SUPERSEDED} and not exists (
  select from zip_import i where i.id = s.zip_import_id and i.status = 'extracting' and i.read_at is null)`;

/** Condition on a row `c` that counts the submissions of an import with one status: one of them offers an insert. */
export const ANY_OFFERS_INSERT = sql`${hasRunnableStatus('c')} and exists (
  select from submission s where s.zip_import_id = c.import_id and s.status = c.status and ${OFFERS_INSERT})`;

/**
 * Condition on the submission `s`: it has warnings. Tests the size of the column, which PostgreSQL knows without
 * reading the value: warnings may be long and stored out of line. An empty list takes 8 bytes at most.
 */
export const IS_WARNED = sql`pg_column_size(s.warnings) > 8`;

/** Condition on the attachment `a`: no product refers to it. */
export const IS_UNREFERRED_ATTACHMENT = sql`
  not exists (select 1 from submission_attachment link where link.attachment_row_id = a.id)`;

/** Condition on the submitter file `u`: no product refers to it. */
export const IS_UNREFERRED_SUBMITTER = sql`
  not exists (select 1 from submission s where s.submitter_row_id = u.id)`;

/** Imports of one tenant, of all tenants of one client, or all if both are undefined. */
export interface OwnerFilter {
  tenant?: string | undefined;
  clientId?: string | undefined;
}

/**
 * Condition: the import or submission belongs to the tenant or to the client, or all are meant.
 *
 * @param table name or alias in the statement: `zip_import`, or `submission` for a tenant
 */
export function ownedBy(table: string, { tenant, clientId }: OwnerFilter) {
  if (tenant !== undefined) return sql`${sql.ref(`${table}.tenant`)} = ${tenant}`;
  if (clientId !== undefined) return sql`${sql.ref(`${table}.client_id`)} = ${clientId}`;
  return sql`true`;
}

/** A `LIKE` pattern for a literal text. */
export function anywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** The conditions of a filter that are given. One that is undefined means all. */
export function given<Filter extends object>(filter: Filter): Given<Filter> {
  const conditions = Object.entries(filter).filter(([, value]) => value !== undefined);
  return Object.fromEntries(conditions) as Given<Filter>;
}

type Given<Filter> = { [Name in keyof Filter]?: Exclude<Filter[Name], undefined> };

/** The code of the submission `s`. One that was never run has none. */
export const CODE_OF_FAILURE = sql<FailureCode>`coalesce(s.failure_code, 'not_queued')`;

const CASES = INSERT_STEPS.map((step) => sql`when not ${sql.ref(`s.${step}`)} then ${sql.lit(step)}`);
/** The first step of the submission `s` that is not done. */
export const STEP_OF_FAILURE = sql<InsertStep | null>`case ${sql.join(CASES, sql` `)} end`;

/** Condition on the submission `s`. */
export function matchesFailure({ failedSince = null, submitterId = null, groups }: Nullable) {
  const patterns = groups?.map((group) => group.replace(/^:/, '%:').replace(/:$/, ':%')) ?? null;
  return sql`(${failedSince}::timestamptz is null or s.updated_at >= ${failedSince})
    and (${submitterId}::text is null or left(s.product_id, 5) = ${submitterId})
    and (${patterns}::text[] is null
         or ${CODE_OF_FAILURE} || ':' || coalesce(${STEP_OF_FAILURE}, '') like any(${patterns}))`;
}

type Nullable = { [Name in keyof FailureFilter]: FailureFilter[Name] | null };
