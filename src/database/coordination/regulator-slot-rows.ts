/**
 * Rows of the leases in src/domain/slot-leases.ts. All times are the database's. PostgreSQL may execute a statement
 * late.
 */
import { type Kysely, sql } from 'kysely';
import { LEASE_MS } from '../../domain/slot-leases.ts';

/** Slot number of the rows in which a process says that it waits: no call has it. */
const WANTED = sql.lit(0);

export function createRegulatorSlotRows(database: Kysely<unknown>, processId: string) {
  const inMs = (ms: number) => sql`clock_timestamp() + ${ms} * interval '1 millisecond'`;
  const isValid = sql`expires_at > clock_timestamp()`;

  return {
    /** Takes free slots. A slot that another process takes at the same moment is skipped. */
    async acquire(limit: number, most: number): Promise<string[]> {
      const { rows } = await sql<{ id: string }>`
        insert into regulator_slot as taken (slot, holder, expires_at)
        select number, gen_random_uuid(), ${inMs(LEASE_MS)}
          from generate_series(1, ${limit}::int) number
         where not exists (select from regulator_slot where slot = number and ${isValid})
         order by number limit ${most}
        on conflict (slot) do update set holder = excluded.holder, expires_at = excluded.expires_at
         where taken.expires_at <= clock_timestamp()
        returning holder as id`.execute(database);
      return rows.map(({ id }) => id);
    },

    /** Renews leases. Returns those that were still valid, and whether another process waits for slots. */
    async renew(ids: readonly string[]): Promise<{ renewed: string[]; wanted: boolean }> {
      const { rows } = await sql<{ renewed: string[]; wanted: boolean }>`
        with renewed as (
          update regulator_slot set expires_at = ${inMs(LEASE_MS)}
           where holder = any(${ids}::uuid[]) and ${isValid} returning holder
        )
        select coalesce((select array_agg(holder::text) from renewed), '{}') as renewed,
               exists (select from regulator_slot
                        where slot = ${WANTED} and holder <> ${processId} and ${isValid}) as wanted`.execute(
        database,
      );
      return rows[0] ?? { renewed: [], wanted: false };
    },

    async release(ids: readonly string[]): Promise<void> {
      await sql`delete from regulator_slot where holder = any(${ids}::uuid[])`.execute(database);
    },

    /** Records that this process waits, for a limited time. */
    async want(ms: number): Promise<void> {
      await sql`
        insert into regulator_slot (slot, holder, expires_at) values (${WANTED}, ${processId}, ${inMs(ms)})
        on conflict (slot) do update set holder = excluded.holder, expires_at = excluded.expires_at`.execute(
        database,
      );
    },
  };
}
