/** Counts imports, products and failures per owner, of a day and of its hours (decision §statistics-are-rolled-up). */
import { type RawBuilder, sql } from 'kysely';
import {
  type FailureKind,
  IMPORT_STATUSES,
  type ImportStatus,
  type ProductOutcome,
  SUBMISSION_STATUSES,
} from '../../contract/statuses.ts';
import { INSERT_STEPS } from '../../contract/steps.ts';

const HOUR = sql`date_trunc('hour', uploaded_at, 'UTC') as hour`;
/** Imports with their owner, for lines by client. */
const BY_CLIENT = sql`(select *, client_id as owner, ${HOUR} from zip_import)`;
/** Imports with their owner, for lines by tenant. A client that is one tenant has a line by client. */
const BY_TENANT = sql`(select *, tenant as owner, ${HOUR} from zip_import where tenant <> client_id)`;

/** Entry of `jsonb_build_object`: the number of rows with the condition. */
const counted = (name: ImportStatus | ProductOutcome | FailureKind, condition: RawBuilder<unknown>) =>
  sql`${sql.lit(name)}, count(*) filter (where ${condition})`;

/** Entries for rows by their status. @param table alias in the statement */
const byStatus = (table: string, statuses: readonly (ImportStatus | ProductOutcome)[]) =>
  sql.join(
    statuses.map((status) => counted(status, sql`${sql.ref(`${table}.status`)} = ${sql.lit(status)}`)),
  );

const FAILED_STEPS = sql.join(
  INSERT_STEPS.map((step) =>
    counted(
      `insert_${step}`,
      sql`s.status = 'regulator_insert_failed' and s.current_step = ${sql.lit(step)}`,
    ),
  ),
);

/**
 * Query: lines of the uploads of a day, counted from the records: one of the day and one of each hour.
 *
 * @param isTenant whether the lines are of tenants instead of clients
 * @param day its first moment, and that of the next day
 */
export function linesOf(isTenant: boolean, day: { from: Date; until: Date }) {
  const imports = isTenant ? BY_TENANT : BY_CLIENT;
  const line = sql`
    case grouping(i.hour) when 0 then 'hour' else 'day' end as span, coalesce(i.hour, ${day.from}) as begins_at, i.owner`;
  const isAsked = sql`i.uploaded_at >= ${day.from} and i.uploaded_at < ${day.until}`;
  const perLine = sql`group by i.owner, rollup (i.hour)`;
  return sql`
  select span, begins_at, owner, ${sql.lit(isTenant)}, i.client_id, i.imports,
         coalesce(s.products, '{}') || coalesce(f.products, '{}') as products,
         coalesce(s.failures, '{}') || coalesce(f.failures, '{}') || i.failures as failures,
         s.insert_seconds[1] as insert_p50_seconds, s.insert_seconds[2] as insert_p95_seconds, i.received_bytes
    from (
      select ${line}, min(i.client_id) as client_id,
             jsonb_build_object(${byStatus('i', IMPORT_STATUSES)}) as imports,
             jsonb_build_object(${counted('package_unreadable', sql`i.status = 'failed'`)}) as failures,
             sum(i.size_bytes)::bigint as received_bytes
        from ${imports} i where ${isAsked} ${perLine}) i
    left join (
      select ${line},
             jsonb_build_object(${byStatus('s', SUBMISSION_STATUSES)}) as products,
             jsonb_build_object(
               ${counted('not_queued', sql`s.status = 'local' and i.status <> 'extracting'`)},
               ${counted('insert_not_begun', sql`s.status = 'regulator_insert_failed' and s.current_step is null`)},
               ${FAILED_STEPS}) as failures,
             percentile_cont(array[0.5, 0.95]) within group (order by extract(epoch from s.updated_at - s.created_at)::float8)
               filter (where s.status = 'regulator_inserted') as insert_seconds
        from ${imports} i join submission s on s.zip_import_id = i.id
       where ${isAsked} ${perLine}) s using (span, begins_at, owner)
    left join (
      select ${line},
             jsonb_build_object(
               ${counted('skipped', sql`f.outcome = 'skipped'`)},
               ${counted('refused', sql`f.outcome = 'failed'`)}) as products,
             jsonb_build_object(${counted('file_refused', sql`f.outcome = 'failed'`)}) as failures
        from ${imports} i join zip_import_file f on f.zip_import_id = i.id
       where ${isAsked} and f.kind = 'product' ${perLine}) f using (span, begins_at, owner)`;
}
