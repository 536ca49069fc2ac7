/** Failed submissions over all imports: only those that a retry would run (`begin-retry.ts`). */
import { sql } from 'kysely';
import {
  FAILURES,
  FAILURES_SCAN_LIMIT,
  type FailureCode,
  type FailureFilter,
} from '../../contract/failures.ts';
import { reasonsText } from '../../contract/reasons.ts';
import type { SubmissionStatus } from '../../contract/statuses.ts';
import { INSERT_STEPS, type InsertStep } from '../../contract/steps.ts';
import type { Failures, Reason } from '../../contract/types.ts';
import { statusesBefore } from '../../domain/submission.ts';
import {
  CODE_OF_FAILURE,
  IS_RUNNABLE,
  IS_SUPERSEDED,
  matchesFailure,
  type OwnerFilter,
  ownedBy,
  STEP_OF_FAILURE,
} from '../conditions.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';

interface FailureSearch {
  owner: OwnerFilter;
  filter: FailureFilter;
  /** Only imports that are under way, which can be cancelled. */
  open?: boolean;
}

interface GroupRow {
  /** Null in the row of all groups. */
  code: FailureCode | null;
  step: InsertStep | null;
  products: number;
  imports: number;
  first: Date;
  last: Date;
  example: { submission_id: number; product_id: string; package_import_id: number };
  reasons: Reason[] | null;
  /** Message of the queue result, for a product that was not queued. */
  queueMessage: string | null;
  scanned: number;
}

const LEFT = statusesBefore('regulator_inserting');
const FLAGS = sql.join(INSERT_STEPS.map((step) => sql.ref(`s.${step}`)));

export function createFailureRepository(orm: Orm) {
  const db = statements(orm.em.fork());
  return {
    /** Groups by code and step, the largest first. Looks at a bounded number of products, of the newest imports. */
    async groups(search: FailureSearch, scanLimit = FAILURES_SCAN_LIMIT): Promise<Failures> {
      const rows = await db.rows<GroupRow>`
        with scanned as (
          ${sql.join(
            LEFT.map((status) => newest(status, search, scanLimit + 1)),
            sql` union all `,
          )}
          order by zip_import_id desc limit ${scanLimit + 1}
        ), counted as (
          select s.code, s.step, count(*)::int as products, count(distinct s.zip_import_id)::int as imports,
                 max(s.id) as example, min(s.updated_at) as first, max(s.updated_at) as last
            from (select s.*, ${CODE_OF_FAILURE} as code, ${STEP_OF_FAILURE} as step from scanned s
                   where not ${IS_SUPERSEDED} and ${matchesFailure(search.filter)}) as s
           group by grouping sets ((s.code, s.step), ())
        )
        select c.code, c.step, c.products, c.imports, c.first, c.last, e.failure_reason as reasons,
               q.message as queue_message, (select count(*)::int from scanned) as scanned,
               jsonb_build_object('submission_id', e.id, 'product_id', e.product_id,
                                  'package_import_id', e.zip_import_id) as example
          from counted c left join submission e on e.id = c.example
          left join queue_result q on q.submission_id = e.id
         order by c.products desc, c.code, c.step
      `;
      const total = rows.find(({ code }) => code === null);
      const groups = rows.flatMap(({ code, reasons, queueMessage, first, last, scanned: _, ...row }) => {
        if (code === null) return [];
        const reason = reasons === null ? queueMessage : reasonsText(reasons);
        const times = { first_failed_at: first.toISOString(), last_failed_at: last.toISOString() };
        const example = { ...row.example, reason };
        return { ...row, ...times, reason_code: code, example, action: FAILURES[code] };
      });
      const { products = 0, imports = 0, scanned = 0 } = total ?? {};
      return { products, imports, complete: scanned <= scanLimit, groups };
    },

    /** The next import with matching products, in order of the id; null after the last. */
    async nextImport(search: FailureSearch, after: number): Promise<number | null> {
      const row = await db.row<{ id: number }>`
        select s.zip_import_id as id from submission s join zip_import i on i.id = s.zip_import_id
         where ${canRun(search)} and s.zip_import_id > ${after}
           and ${matchesFailure(search.filter)} and not ${IS_SUPERSEDED}
         order by s.zip_import_id limit 1
      `;
      return row?.id ?? null;
    },
  };
}

/** The newest submissions with the status, in the order of an index: of a tenant by id, of all by import. */
function newest(status: SubmissionStatus, search: FailureSearch, limit: number) {
  const order = search.owner.tenant === undefined ? sql`s.zip_import_id` : sql`s.id`;
  return sql`(
    select s.id, s.zip_import_id, s.product_id, s.updated_at, s.failure_code, ${FLAGS}
      from submission s join zip_import i on i.id = s.zip_import_id
     where s.status = ${sql.lit(status)} and ${canRun(search)} order by ${order} desc limit ${limit})`;
}

/**
 * Condition on the submission `s` of the import `i`, apart from newer submissions of its product. A submission without
 * a queue result is about to be queued.
 */
function canRun({ owner: { tenant, clientId }, open = false }: FailureSearch) {
  return sql`${IS_RUNNABLE}
    and (s.status <> 'local' or exists (select from queue_result q where q.submission_id = s.id))
    and i.status not in ('extracting', 'failed') and (i.cancel_requested_at is null or i.completed_at is not null)
    and ${ownedBy('s', { tenant })} and ${ownedBy('i', { clientId })}
    and ${open ? sql`i.completed_at is null` : sql`true`}`;
}
