/**
 * Statistics over many imports. They are counted per day and hour and stored, so that a query reads a few rows
 * (decision §statistics-are-rolled-up).
 */
import { sql } from 'kysely';
import { createSingleFlightCache } from '../../common/single-flight-cache.ts';
import type { Span } from '../../contract/statuses.ts';
import { type OwnerFilter, ownedBy } from '../conditions.ts';
import type { StatisticsLineRow } from '../entities/statistics.ts';
import type { Orm } from '../orm.ts';
import { linesOf } from '../reports/statistics-lines.ts';
import { type Columns, statements } from '../statements.ts';

/** Statistics of one client, or of one of its tenants, and one day or hour. */
export interface StatisticsLine
  extends Columns<StatisticsLineRow, Exclude<keyof StatisticsLineRow, 'span' | 'owner' | 'isTenant'>> {
  countedAt: Date;
}

/** Position of a list: the next page begins after this line. Lines are newest first, then by client. */
export type Before = Pick<StatisticsLine, 'beginsAt' | 'clientId'>;

/** Days as `2026-01-31`, both included. */
interface StatisticsFilter extends OwnerFilter {
  from?: string | undefined;
  to?: string | undefined;
  before?: Before | undefined;
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
  /** Bytes of the attachments that these packages were their owner's first to bring. */
  attachmentBytes: number;
}

/**
 * A fresh day is counted often, because its products are still being inserted. Later it is counted daily, as long as
 * one of its products may be run again.
 */
const FRESH_DAYS = 2;
const FRESH_FOR_S = 240;
export const CHANGING_DAYS = 90;
const SETTLED_FOR_S = 86_400;

/**
 * Bounds of the count of today on request. A day of millions takes seconds: it is counted by the schedule only. Below
 * that, a process counts a tenth of the time at most.
 */
const TODAY_LIMIT_MS = 500;
const TODAY_FRESH_MS = 1_000;
const TODAY_SHARE = 10;

/** The present day, UTC. */
const TODAY = sql`(now() at time zone 'UTC')::date`;

export function createStatisticsRepository(orm: Orm) {
  const db = statements(orm.em.fork());

  async function countDay(day: string, limitMs?: number): Promise<void> {
    await orm.em.fork().transactional(async (em) => {
      if (limitMs !== undefined)
        await statements(em).run`select set_config('statement_timeout', ${`${limitMs}`}, true)`;
      // First, so that concurrent counts of the same day run one after the other.
      await statements(em).run`
        insert into statistics_day (day, counted_at) values (${day}::date, now())
        on conflict (day) do update set counted_at = excluded.counted_at
      `;
      const asked = { from: new Date(day), until: dayEnd(day) };
      // Two statements: PostgreSQL would overestimate the rows of one, and read whole tables.
      for (const isTenant of [false, true])
        await statements(em).run`
          insert into statistics_line (span, begins_at, owner, is_tenant, client_id, ${COUNTS})
          ${linesOf(isTenant, asked)}
          on conflict (span, begins_at, owner) do update
             set (${COUNTS}) = row (${counts('excluded.')})
           where (${counts('statistics_line.')}) is distinct from (${counts('excluded.')})
        `;
    });
  }

  /** The duration of the last count of today, in milliseconds. */
  const today = createSingleFlightCache(
    async () => {
      const startedAt = performance.now();
      await countDay(new Date().toISOString().slice(0, 10), TODAY_LIMIT_MS).catch(exceptTimeout);
      return performance.now() - startedAt;
    },
    (tookMs) => Math.max(TODAY_FRESH_MS, TODAY_SHARE * tookMs),
  );

  return {
    /** Days that were never counted, or too long ago: oldest first, as `2026-01-31`. */
    async daysDue(limit: number): Promise<string[]> {
      const rows = await db.rows<{ day: string }>`
        select to_char(d.day, 'YYYY-MM-DD') as day
          from generate_series(
                 (select date_trunc('day', min(uploaded_at) at time zone 'UTC') from zip_import),
                 ${TODAY}::timestamp, interval '1 day') as d(day)
          left join statistics_day s on s.day = d.day::date
         cross join lateral (select ${TODAY} - d.day::date as days) old
         where s.counted_at is null
            or old.days < ${FRESH_DAYS} and s.counted_at < now() - make_interval(secs => ${FRESH_FOR_S})
            or old.days < ${CHANGING_DAYS} and s.counted_at < now() - make_interval(secs => ${SETTLED_FOR_S})
         order by d.day limit ${limit}
      `;
      return rows.map(({ day }) => day);
    },

    /**
     * Counts a day: existing rows get the new numbers. Rows never disappear, because imports and clients are never
     * deleted. Idempotent.
     */
    countDay: (day: string) => countDay(day),

    /** Counts today again, unless it was counted within the last second, or takes long. */
    async countToday(): Promise<void> {
      await today.get();
    },

    /** Days or hours, as of their last count. */
    async lines(
      span: Span,
      { tenant, clientId, from, to, before }: StatisticsFilter,
      limit: number,
    ): Promise<StatisticsLine[]> {
      const owner = tenant ?? clientId;
      const last = before?.beginsAt ?? 'infinity';
      return db.rows`
        select begins_at, client_id, ${COUNTS}, counted_at
          from statistics_line join statistics_day on day = (begins_at at time zone 'UTC')::date
         where span = ${span} and ${owner === undefined ? sql`not is_tenant` : sql`owner = ${owner}`}
           and begins_at >= ${from ? new Date(from) : '-infinity'} and begins_at < ${to ? dayEnd(to) : 'infinity'}
           and begins_at <= ${last} and (begins_at < ${last} or client_id > ${before?.clientId ?? ''})
         order by begins_at desc, client_id limit ${limit}
      `;
    },

    /** Stored data: the clients with the most, up to `limit`. Reads one index only. */
    async stored(owner: OwnerFilter, limit: number): Promise<Stored[]> {
      return db.rows`
        select client_id, count(*)::int as packages, sum(size_bytes)::float8 as package_bytes,
               sum(attachment_bytes)::float8 as attachment_bytes
          from zip_import i where archive_removed_at is null and ${ownedBy('i', owner)}
         group by client_id order by sum(size_bytes + attachment_bytes) desc, client_id limit ${limit}
      `;
    },

    /**
     * Work under way: the clients with the most, up to `limit`. `offset 0` keeps PostgreSQL from reading all imports,
     * which it does when it expects many products.
     */
    async waiting(owner: OwnerFilter, limit: number): Promise<Waiting[]> {
      return db.rows`
        select client_id, sum(imports)::int as imports, sum(inserting)::int as inserting from (
          select i.client_id, 0 as imports, s.products as inserting
            from (select zip_import_id, count(*) as products from submission
                   where status = 'regulator_inserting' group by zip_import_id) s
           cross join lateral (select * from zip_import where id = s.zip_import_id offset 0) i
           where ${ownedBy('i', owner)}
          union all
          select i.client_id, count(*), 0 from zip_import i
           where i.status in ('extracting', 'inserting') and ${ownedBy('i', owner)} group by i.client_id) waiting
         group by client_id order by inserting desc, imports desc, client_id limit ${limit}
      `;
    },
  };
}

const DAY_MS = 86_400_000;

/** `2026-01-31` ends with the first moment of February. */
const dayEnd = (day: string): Date => new Date(Date.parse(day) + DAY_MS);

/** PostgreSQL's query_canceled: the numbers stay those of the last count. */
function exceptTimeout(error: Error & { code?: string }): void {
  if (error.code !== '57014') throw error;
}

const NAMES = 'imports products failures insert_p50_seconds insert_p95_seconds received_bytes'.split(' ');
/** The counts of a line. @param of prefix of the columns */
const counts = (of = '') => sql.join(NAMES.map((name) => sql.ref(of + name)));
const COUNTS = counts();
