/** Counts imports, products and failures per owner and day or hour (decision §statistics-are-rolled-up). */
import { type RawBuilder, sql } from 'kysely';
import { type FailureKind, type ProductOutcome, SUBMISSION_STATUSES } from '../../contract/statuses.ts';
import { INSERT_STEPS } from '../../contract/steps.ts';
import { type OwnerFilter, ownedBy } from '../conditions.ts';

/** The uploads from one moment and before another. */
interface Asked extends OwnerFilter {
  from: Date;
  until: Date;
}

/** Imports with their owner, for lines by client. */
export const BY_CLIENT = sql`(select *, client_id as owner from zip_import)`;
/** Imports with their owner, for lines by tenant. A client that is one tenant has a line by client. */
export const BY_TENANT = sql`(select *, tenant as owner from zip_import where tenant <> client_id)`;

/** Entry of `jsonb_build_object`: the number of rows with the condition. */
const counted = (name: ProductOutcome | FailureKind, condition: RawBuilder<unknown>) =>
  sql`${sql.lit(name)}, count(*) filter (where ${condition})`;

const EACH_STATUS = sql.join(
  SUBMISSION_STATUSES.map((status) => counted(status, sql`s.status = ${sql.lit(status)}`)),
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
 * Subquery: lines of the uploads `asked`, counted from the records.
 *
 * @param imports `BY_CLIENT` or `BY_TENANT`
 */
export function linesOf(span: 'day' | 'hour', imports: RawBuilder<unknown>, asked: Asked) {
  const beginsAt = sql`date_trunc(${sql.lit(span)}, i.uploaded_at, 'UTC')`;
  const isAsked = sql`
    i.uploaded_at >= ${asked.from} and i.uploaded_at < ${asked.until} and ${ownedBy('i', asked)}`;
  return sql`
  select i.begins_at, i.owner, i.client_id, i.imports,
         coalesce(s.products, '{}') || coalesce(f.products, '{}') as products,
         coalesce(s.failures, '{}') || coalesce(f.failures, '{}') || i.failures as failures,
         s.insert_seconds[1] as insert_p50_seconds, s.insert_seconds[2] as insert_p95_seconds, i.received_bytes
    from (select begins_at, owner, client_id,
                 jsonb_object_agg(status, number) as imports,
                 sum(received_bytes) as received_bytes,
                 jsonb_build_object(
                   'package_unreadable', coalesce(sum(number) filter (where status = 'failed'), 0)) as failures
            from (select ${beginsAt} as begins_at, i.owner, i.client_id, i.status, count(*) as number,
                         sum(i.size_bytes) as received_bytes
                    from ${imports} i where ${isAsked}
                   group by 1, i.owner, i.client_id, i.status) statuses
           group by begins_at, owner, client_id) i
    left join (
      select ${beginsAt} as begins_at, i.owner,
             jsonb_build_object(${EACH_STATUS}) as products,
             jsonb_build_object(
               ${counted('not_queued', sql`s.status = 'local' and i.status <> 'extracting'`)},
               ${counted('insert_not_begun', sql`s.status = 'regulator_insert_failed' and s.current_step is null`)},
               ${FAILED_STEPS}) as failures,
             percentile_cont(array[0.5, 0.95]) within group (order by extract(epoch from s.updated_at - s.created_at)::float8)
               filter (where s.status = 'regulator_inserted') as insert_seconds
        from ${imports} i join submission s on s.zip_import_id = i.id
       where ${isAsked} group by 1, i.owner) s on s.owner = i.owner and s.begins_at = i.begins_at
    left join (
      select ${beginsAt} as begins_at, i.owner,
             jsonb_build_object(
               ${counted('skipped', sql`f.outcome = 'skipped'`)},
               ${counted('refused', sql`f.outcome = 'failed'`)}) as products,
             jsonb_build_object(${counted('file_refused', sql`f.outcome = 'failed'`)}) as failures
        from ${imports} i join zip_import_file f on f.zip_import_id = i.id
       where ${isAsked} and f.kind = 'product'
       group by 1, i.owner) f on f.owner = i.owner and f.begins_at = i.begins_at`;
}
