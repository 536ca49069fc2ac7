/**
 * Statistics over many imports. They are counted per day and stored, so that a query reads a few rows
 * (decision §statistics-are-rolled-up).
 */
import { sql } from 'kysely';
import type { FailureKind, ImportStatus, ProductOutcome } from '../../contract/statuses.ts';
import { INSERT_STEPS } from '../../contract/steps.ts';
import type { Orm } from '../orm.ts';
import { query } from '../query.ts';
import type { Tables } from '../tables.ts';

/** Time span of a line. */
export type Span = 'day' | 'hour';

/** Statistics of one client and one day or hour. */
export interface StatisticsLine {
  /** Begin of the span, UTC. */
  beginsAt: Date;
  clientId: string;
  imports: Partial<Record<ImportStatus, number>>;
  products: Partial<Record<ProductOutcome, number>>;
  failures: Partial<Record<FailureKind, number>>;
  insertP50Seconds: number | null;
  insertP95Seconds: number | null;
  /** Total size of the uploaded packages; null if it was not counted. */
  receivedBytes: number;
  countedAt: Date;
}

/** Position of a list: the next page begins after this line. Lines are newest first, then by client. */
export type Before = Pick<StatisticsLine, 'beginsAt' | 'clientId'>;

/** Days as `2026-01-31`, both included. */
export interface StatisticsFilter {
  clientId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  before?: Before | undefined;
}

/** Hours are counted on request: only a few days of them. */
export interface HoursFilter extends StatisticsFilter {
  from: string;
  to: string;
}

export interface Waiting {
  clientId: string;
  /** Imports that have not ended. */
  imports: number;
  /** Products that are being inserted. */
  inserting: number;
}

/** Stored data of a client. */
export interface Stored {
  clientId: string;
  /** Packages whose ZIP is kept. */
  packages: number;
  packageBytes: number;
  /** Bytes of the attachments that these packages were the first to bring. */
  attachmentBytes: number;
}

/**
 * A fresh day is counted often, because its products are still being inserted. Later it is counted daily, as long as
 * one of its products may be run again.
 */
const FRESH_DAYS = 2;
const FRESH_FOR_S = 240;
const CHANGING_DAYS = 90;
const SETTLED_FOR_S = 86_400;

/** Days that were never counted, or too long ago, oldest first. `$1`: limit. */
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

const counted = (name: string, condition: string) => `'${name}', count(*) filter (where ${condition})`;
const steps = INSERT_STEPS.map((step) =>
  counted(`insert_${step}`, `s.status = 'regulator_insert_failed' and s.current_step = '${step}'`),
);

/**
 * Lines of the uploads from `$1` and before `$2`, counted from the records.
 *
 * @param condition further condition on the import `i`
 */
function linesOf(span: Span, condition = 'true'): string {
  const begin = `date_trunc('${span}', i.uploaded_at, 'UTC')`;
  const asked = `i.uploaded_at >= $1 and i.uploaded_at < $2 and ${condition}`;
  return `
  select i.begins_at, i.client_id, i.imports,
         coalesce(s.products, '{}') || coalesce(f.products, '{}') as products,
         coalesce(s.failures, '{}') || coalesce(f.failures, '{}') || i.failures as failures,
         s.insert_seconds[1] as insert_p50_seconds, s.insert_seconds[2] as insert_p95_seconds, i.received_bytes
    from (select begins_at, client_id,
                 jsonb_object_agg(status, number) as imports,
                 sum(received_bytes) as received_bytes,
                 jsonb_build_object('package_unreadable', coalesce(sum(number) filter (where status = 'failed'), 0)) as failures
            from (select ${begin} as begins_at, i.client_id, i.status, count(*) as number, sum(i.size_bytes) as received_bytes
                    from zip_import i where ${asked}
                   group by 1, i.client_id, i.status) statuses
           group by begins_at, client_id) i
    left join (
      select ${begin} as begins_at, i.client_id,
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
       where ${asked} group by 1, i.client_id) s on s.client_id = i.client_id and s.begins_at = i.begins_at
    left join (
      select ${begin} as begins_at, i.client_id,
             jsonb_build_object(${counted('skipped', `f.outcome = 'skipped'`)}, ${counted('refused', `f.outcome = 'failed'`)}) as products,
             jsonb_build_object(${counted('file_refused', `f.outcome = 'failed'`)}) as failures
        from zip_import i join zip_import_file f on f.zip_import_id = i.id
       where ${asked} and f.kind = 'product' group by 1, i.client_id) f on f.client_id = i.client_id and f.begins_at = i.begins_at`;
}

/**
 * Counts a day: existing rows get the new numbers. Rows never disappear, because imports and clients are never deleted.
 */
const COUNT_DAY = `
  insert into daily_statistics
    (day, client_id, imports, products, failures, insert_p50_seconds, insert_p95_seconds, received_bytes)
  select (begins_at at time zone 'UTC')::date, client_id, imports, products, failures, insert_p50_seconds, insert_p95_seconds,
         received_bytes
    from (${linesOf('day')}) counted
  on conflict (day, client_id) do update
     set imports = excluded.imports, products = excluded.products, failures = excluded.failures,
         insert_p50_seconds = excluded.insert_p50_seconds, insert_p95_seconds = excluded.insert_p95_seconds,
         received_bytes = excluded.received_bytes`;

/** `$3` and `$4`: position, null for the first page. `$5`: limit. */
const hoursOf = (condition?: string) => `
  select begins_at as "beginsAt", client_id as "clientId", imports, products, failures,
         insert_p50_seconds as "insertP50Seconds", insert_p95_seconds as "insertP95Seconds",
         received_bytes::bigint as "receivedBytes", now() as "countedAt"
    from (${linesOf('hour', condition)}) counted
   where $3::timestamptz is null or begins_at < $3 or client_id > $4::text
   order by begins_at desc, client_id limit $5`;
const HOURS = hoursOf();
const HOURS_OF_CLIENT = hoursOf('i.client_id = $6');

const NOTE_DAY = `
  insert into statistics_day (day, counted_at) values ($1::date, now())
  on conflict (day) do update set counted_at = excluded.counted_at`;

/** Reads one index only. `$1`: client, or null for all. */
const STORED = `
  select client_id as "clientId", count(*)::int as packages, sum(size_bytes)::float8 as "packageBytes",
         sum(attachment_bytes)::float8 as "attachmentBytes"
    from zip_import where archive_removed_at is null and ($1::text is null or client_id = $1)
   group by client_id order by sum(size_bytes + attachment_bytes) desc, client_id limit $2`;

/** `$1`: client, or null for all. */
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
    /** Days to count or to count again, oldest first, as `2026-01-31`. */
    async daysDue(limit: number): Promise<string[]> {
      const rows = await query<{ day: string }>(orm, DUE, [limit]);
      return rows.map(({ day }) => day);
    },

    /** Counts a day. Idempotent. */
    async countDay(day: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        // First, so that concurrent counts of the same day run one after the other.
        await query(em, NOTE_DAY, [day]);
        await query(em, COUNT_DAY, boundsOf(day, day));
      });
    },

    /** Days, as of their last count. */
    async days({ clientId, from, to, before }: StatisticsFilter, limit: number): Promise<StatisticsLine[]> {
      const lastDay = before?.beginsAt.toISOString();
      const rows = await orm.em
        .fork()
        .getKysely<Tables>()
        .selectFrom('daily_statistics as d')
        .innerJoin('statistics_day as c', 'c.day', 'd.day')
        .select(['d.client_id as clientId', 'd.imports', 'd.products', 'd.failures'])
        .select('d.received_bytes as receivedBytes')
        .select(['d.insert_p50_seconds as insertP50Seconds', 'd.insert_p95_seconds as insertP95Seconds'])
        .select(sql<Date | string>`d.day::timestamp at time zone 'UTC'`.as('beginsAt'))
        .select('c.counted_at as countedAt')
        .$if(clientId !== undefined, (all) => all.where('d.client_id', '=', clientId ?? ''))
        .$if(from !== undefined, (all) => all.where(sql<boolean>`d.day >= ${from}::date`))
        .$if(to !== undefined, (all) => all.where(sql<boolean>`d.day <= ${to}::date`))
        .$if(before !== undefined, (all) =>
          all.where(
            sql<boolean>`d.day <= ${lastDay}::date and (d.day < ${lastDay}::date or d.client_id > ${before?.clientId})`,
          ),
        )
        .orderBy('d.day', 'desc')
        .orderBy('d.client_id')
        .limit(limit)
        .execute();
      return rows.map(withDates);
    },

    /** Hours, counted now: the cost grows with the uploads in that time. */
    async hours({ clientId, from, to, before }: HoursFilter, limit: number): Promise<StatisticsLine[]> {
      const [begin, end] = boundsOf(from, to);
      // Newer hours belong to previous pages.
      const until = before ? new Date(before.beginsAt.getTime() + HOUR_MS).toISOString() : end;
      const values = [begin, min(until, end), before?.beginsAt ?? null, before?.clientId ?? null, limit];
      const rows = await (clientId === undefined
        ? query<StatisticsLine>(orm, HOURS, values)
        : query<StatisticsLine>(orm, HOURS_OF_CLIENT, [...values, clientId]));
      return rows.map(withDates);
    },

    /** Stored data: the clients with the most, up to `limit`. */
    stored(clientId: string | undefined, limit: number): Promise<Stored[]> {
      return query<Stored>(orm, STORED, [clientId ?? null, limit]);
    },

    /** Work under way: the clients with the most, up to `limit`. */
    waiting(clientId: string | undefined, limit: number): Promise<Waiting[]> {
      return query<Waiting>(orm, WAITING, [clientId ?? null, limit]);
    },
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Begin and end of a range of days, both included: `2026-01-31` ends with the first moment of February. */
function boundsOf(from: string, to: string): [string, string] {
  return [new Date(from).toISOString(), new Date(Date.parse(to) + DAY_MS).toISOString()];
}

/** The earlier of two ISO 8601 times, whose text order is their time order. */
const min = (a: string, b: string): string => (a < b ? a : b);

/** Converts times: the driver may return them as text. */
function withDates<Row extends { beginsAt: Date | string; countedAt: Date | string }>(row: Row) {
  return { ...row, beginsAt: new Date(row.beginsAt), countedAt: new Date(row.countedAt) };
}
