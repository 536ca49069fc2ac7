/**
 * Numbers over many imports: counted a day at a time and kept, so that asking for them costs a few rows
 * (architecture §statistics-are-rolled-up).
 */
import { sql } from 'kysely';
import type { ImportStatus } from '../../domain/package-import.ts';
import type { FailureKind, ProductOutcome } from '../../domain/statistics.ts';
import { INSERT_STEPS } from '../../domain/steps.ts';
import type { Orm } from '../orm.ts';
import { query } from '../query.ts';
import type { Tables } from '../tables.ts';

/** Of one client and one day. */
export interface DayOfClient {
  /** `2026-01-31`, UTC. */
  day: string;
  clientId: string;
  imports: Partial<Record<ImportStatus, number>>;
  products: Partial<Record<ProductOutcome, number>>;
  failures: Partial<Record<FailureKind, number>>;
  insertP50Seconds: number | null;
  insertP95Seconds: number | null;
  /** Sizes of the uploaded packages; null where that was not counted yet. */
  receivedBytes: number | null;
  countedAt: Date;
}

/** Days as `2026-01-31`, both included; newest first, clients of a day in their order. */
export interface StatisticsFilter {
  clientId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** Goes on behind this one. */
  before?: { day: string; clientId: string } | undefined;
}

export interface Waiting {
  clientId: string;
  /** Imports that have not ended. */
  imports: number;
  /** Products on their way to the regulator. */
  inserting: number;
}

/** While products of a day are still on their way it is counted often; as long as one may be run again, daily. */
const FRESH_DAYS = 2;
const FRESH_FOR_S = 240;
const CHANGING_DAYS = 90;
const SETTLED_FOR_S = 86_400;

/** Days that have never been counted, or too long ago, from the oldest. `$1` is how many at the most. */
const DUE = `
  select to_char(d.day, 'YYYY-MM-DD') as day
    from generate_series(
           (select (min(uploaded_at) at time zone 'UTC')::date from zip_import),
           (now() at time zone 'UTC')::date, interval '1 day') as d(day)
    left join statistics_day s on s.day = d.day::date
   cross join lateral (select (now() at time zone 'UTC')::date - d.day::date as days) old
   where s.counted_at is null
      or old.days < ${FRESH_DAYS} and s.counted_at < now() - interval '${FRESH_FOR_S} seconds'
      or old.days < ${CHANGING_DAYS} and s.counted_at < now() - interval '${SETTLED_FOR_S} seconds'
   order by d.day limit $1`;

const BEGIN = `($1::date::timestamp at time zone 'UTC')`;
const END = `(($1::date + 1)::timestamp at time zone 'UTC')`;
const OF_THE_DAY = `i.uploaded_at >= ${BEGIN} and i.uploaded_at < ${END}`;

const counted = (name: string, condition: string) => `'${name}', count(*) filter (where ${condition})`;
const steps = INSERT_STEPS.map((step) =>
  counted(`insert_${step}`, `s.status = 'regulator_insert_failed' and s.current_step = '${step}'`),
);

/** Counts a day anew: the rows that are there take the new numbers. An import never goes, nor does its client. */
const COUNT_DAY = `
  insert into daily_statistics
    (day, client_id, imports, products, failures, insert_p50_seconds, insert_p95_seconds, received_bytes)
  select $1::date, i.client_id, i.imports,
         coalesce(s.products, '{}') || coalesce(f.products, '{}'),
         coalesce(s.failures, '{}') || coalesce(f.failures, '{}') || i.failures,
         s.insert_seconds[1], s.insert_seconds[2], i.received_bytes
    from (select client_id,
                 jsonb_object_agg(status, number) as imports,
                 sum(received_bytes) as received_bytes,
                 jsonb_build_object('package_unreadable', coalesce(sum(number) filter (where status = 'failed'), 0)) as failures
            from (select i.client_id, i.status, count(*) as number, sum(i.size_bytes) as received_bytes
                    from zip_import i where ${OF_THE_DAY}
                   group by i.client_id, i.status) statuses
           group by client_id) i
    left join (
      select i.client_id,
             jsonb_build_object(
               ${counted('local', `s.status = 'local'`)},
               ${counted('regulator_inserting', `s.status = 'regulator_inserting'`)},
               ${counted('regulator_inserted', `s.status = 'regulator_inserted'`)},
               ${counted('regulator_insert_failed', `s.status = 'regulator_insert_failed'`)}) as products,
             jsonb_build_object(
               ${counted('not_queued', `s.status = 'local' and i.status <> 'extracting'`)},
               ${counted('insert_not_begun', `s.status = 'regulator_insert_failed' and s.current_step is null`)},
               ${steps.join(',\n               ')}) as failures,
             percentile_cont(array[0.5, 0.95]) within group (order by extract(epoch from s.updated_at - s.created_at)::float8)
               filter (where s.status = 'regulator_inserted') as insert_seconds
        from zip_import i join submission s on s.zip_import_id = i.id
       where ${OF_THE_DAY} group by i.client_id) s on s.client_id = i.client_id
    left join (
      select i.client_id,
             jsonb_build_object(${counted('skipped', `f.outcome = 'skipped'`)}, ${counted('refused', `f.outcome = 'failed'`)}) as products,
             jsonb_build_object(${counted('file_refused', `f.outcome = 'failed'`)}) as failures
        from zip_import i join zip_import_file f on f.zip_import_id = i.id
       where ${OF_THE_DAY} and f.kind = 'product' group by i.client_id) f on f.client_id = i.client_id
  on conflict (day, client_id) do update
     set imports = excluded.imports, products = excluded.products, failures = excluded.failures,
         insert_p50_seconds = excluded.insert_p50_seconds, insert_p95_seconds = excluded.insert_p95_seconds,
         received_bytes = excluded.received_bytes`;

const NOTE_DAY = `
  insert into statistics_day (day, counted_at) values ($1::date, now())
  on conflict (day) do update set counted_at = excluded.counted_at`;

/** `$1` is the client, or null for all. */
const WAITING = `
  select client_id as "clientId", sum(imports)::int as imports, sum(inserting)::int as inserting from (
    select i.client_id, 0 as imports, count(*) as inserting
      from submission s join zip_import i on i.id = s.zip_import_id
     where s.status = 'regulator_inserting' and ($1::text is null or i.client_id = $1) group by i.client_id
    union all
    select client_id, count(*), 0 from zip_import
     where status in ('extracting', 'inserting') and ($1::text is null or client_id = $1) group by client_id) waiting
   group by client_id order by inserting desc, imports desc, client_id limit $2`;

export function createStatisticsRepository(orm: Orm) {
  return {
    /** Days that have to be counted (again), from the oldest, as `2026-01-31`. */
    async daysDue(limit: number): Promise<string[]> {
      const rows = await query<{ day: string }>(orm, DUE, [limit]);
      return rows.map(({ day }) => day);
    },

    /** Counts a day as it is now. May be repeated at any time. */
    async countDay(day: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        // First, so that two who count the same day do it one after the other.
        await query(em, NOTE_DAY, [day]);
        await query(em, COUNT_DAY, [day]);
      });
    },

    async list({ clientId, from, to, before }: StatisticsFilter, limit: number): Promise<DayOfClient[]> {
      const rows = await orm.em
        .fork()
        .getKysely<Tables>()
        .selectFrom('daily_statistics as d')
        .innerJoin('statistics_day as c', 'c.day', 'd.day')
        .select(['d.client_id as clientId', 'd.imports', 'd.products', 'd.failures'])
        .select(['d.insert_p50_seconds as insertP50Seconds', 'd.insert_p95_seconds as insertP95Seconds'])
        .select(sql<number | null>`d.received_bytes::float8`.as('receivedBytes'))
        .select(sql<string>`to_char(d.day, 'YYYY-MM-DD')`.as('day'))
        .select('c.counted_at as countedAt')
        .$if(clientId !== undefined, (all) => all.where('d.client_id', '=', clientId ?? ''))
        .$if(from !== undefined, (all) => all.where(sql<boolean>`d.day >= ${from}::date`))
        .$if(to !== undefined, (all) => all.where(sql<boolean>`d.day <= ${to}::date`))
        .$if(before !== undefined, (all) =>
          all.where(
            sql<boolean>`d.day <= ${before?.day}::date and (d.day < ${before?.day}::date or d.client_id > ${before?.clientId})`,
          ),
        )
        .orderBy('d.day', 'desc')
        .orderBy('d.client_id')
        .limit(limit)
        .execute();
      return rows.map(({ countedAt, ...row }) => ({ ...row, countedAt: new Date(countedAt) }));
    },

    /** What is under way now: of the clients that have most of it, up to `limit`. */
    waiting(clientId: string | undefined, limit: number): Promise<Waiting[]> {
      return query<Waiting>(orm, WAITING, [clientId ?? null, limit]);
    },
  };
}
