/** Limits per client, over all processes: concurrent operations, and points per window. */
import { randomUUID } from 'node:crypto';
import { CompiledQuery, sql } from 'kysely';
import { RateLimiterMemory, RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';

const LEASE_MS = 60_000;

export type ClientSlots = ReturnType<typeof createClientSlots>;

/**
 * Limits the concurrent operations of a client. Each operation holds a lease that its process renews. The leases of a
 * killed process end within a minute. All times are the database's.
 *
 * It uses neither locks of a connection nor transactions of several statements: it works behind a pooler, and a wait
 * for one client's row does not delay other clients.
 *
 * @param kind name of the limit; each kind has its own count
 * @param onLost gets the reason why leases could not be renewed or returned; such leases expire
 */
export function createClientSlots(
  orm: Orm,
  kind: string,
  limit: number | null,
  { leaseMs = LEASE_MS, onLost = () => {} }: { leaseMs?: number; onLost?: (error: unknown) => void } = {},
) {
  const held = new Set<string>();
  let renewing: NodeJS.Timeout | undefined;
  const db = statements(orm.em.fork());
  const leaseEnd = sql`clock_timestamp() + make_interval(secs => ${leaseMs / 1000})`;

  async function renew(): Promise<void> {
    await db.run`
      update client_slot set expires_at = ${leaseEnd} where token = any(${[...held]}::uuid[])
    `;
  }

  function hold(token: string): void {
    held.add(token);
    renewing ??= setInterval(() => void renew().catch(onLost), leaseMs / 3).unref();
  }

  async function release(token: string): Promise<void> {
    if (!held.delete(token)) return;
    if (held.size === 0) {
      clearInterval(renewing);
      renewing = undefined;
    }
    await db.run`delete from client_slot where token = ${token}`.catch(onLost);
  }

  /**
   * Takes a free slot. `seen` without `taken` means that another request took the slot first. The caller repeats the
   * statement.
   */
  function tryTake(clientId: string, token: string, reservedBytes: number) {
    // Without a limit, the slots are one more than the rows of the client, so that one is always free.
    const most = sql`coalesce(${limit}::int,
      (select count(*)::int + 1 from client_slot where kind = ${kind} and client_id = ${clientId}))`;
    return db.row<{ taken: boolean; seen: boolean }>`
      with free as (
        select slot from generate_series(1, ${most}) slot
         where not exists (
           select 1 from client_slot s
            where s.kind = ${kind} and s.client_id = ${clientId} and s.slot = slot.slot
              and s.expires_at > clock_timestamp())
         order by random() limit 1
      ), taken as (
        insert into client_slot as s (kind, client_id, slot, token, reserved_bytes, expires_at)
        select ${kind}, ${clientId}, slot, ${token}::uuid, ${reservedBytes}::bigint, ${leaseEnd} from free
        on conflict (kind, client_id, slot) do update
          set token = excluded.token, reserved_bytes = excluded.reserved_bytes, expires_at = excluded.expires_at
        where s.expires_at <= clock_timestamp()
        returning 1
      )
      select exists(select 1 from taken) as taken, exists(select 1 from free) as seen
    `;
  }

  return {
    /** Slots per client. Null for no limit. */
    limit,

    /**
     * Takes a slot; the result returns it. Null if all slots are taken.
     *
     * @param reservedBytes room in the storage that the operation may need
     */
    async take(clientId: string, reservedBytes = 0): Promise<(() => Promise<void>) | null> {
      const token = randomUUID();
      for (;;) {
        const slot = await tryTake(clientId, token, reservedBytes);
        if (slot?.taken) break;
        if (!slot?.seen) return null;
      }
      hold(token);
      return () => release(token);
    },

    /** Bytes that the running operations have reserved: those of all clients, and those of this one. */
    async reserved(clientId: string): Promise<{ all: number; own: number }> {
      const row = await db.row<{ all: number; own: number }>`
        select coalesce(sum(reserved_bytes), 0)::float8 as "all",
               coalesce(sum(reserved_bytes) filter (where client_id = ${clientId}), 0)::float8 as own
          from client_slot where kind = ${kind} and expires_at > clock_timestamp()
      `;
      return row ?? { all: 0, own: 0 };
    },
  };
}

/** Result of a take. */
interface RateTaken {
  /** Granted points: fewer than requested if fewer are left. */
  granted: number;
  /** Points left in this window. */
  remaining: number;
  /** Milliseconds until the window ends and the limit resets. */
  resetMs: number;
}

export type ClientRateLimit = ReturnType<typeof createClientRate>;

/** Limits points per window, which begins with the first use. */
export function createClientRate(orm: Orm, kind: string, limit: { points: number; windowSeconds: number }) {
  const { points: most, windowSeconds } = limit;
  const options = { keyPrefix: kind, points: most, duration: windowSeconds };
  const limiter = new RateLimiterPostgres({
    ...options,
    storeClient: withoutNames(orm),
    storeType: 'client',
    tableName: 'client_rate',
    tableCreated: true,
    // After a refusal, further requests of the client are refused in memory until the window ends.
    inMemoryBlockOnConsumed: most + 1,
    // An unreachable database refuses nobody: other statements of the request fail with the reason. Until it is back,
    // each process counts by itself.
    insuranceLimiter: new RateLimiterMemory(options),
  });

  return {
    /** Name of the limit; each kind has its own count. */
    kind,
    /** Points per window. */
    points: most,
    windowSeconds,
    async take(clientId: string, points: number): Promise<RateTaken> {
      const taken = await limiter.consume(clientId, points).catch((refused: RateLimiterRes | Error) => {
        if (refused instanceof Error) throw refused;
        return refused;
      });
      const { consumedPoints, msBeforeNext } = taken;
      // The request was refused in memory: nothing was counted.
      const before = consumedPoints === 0 ? most : consumedPoints - points;
      const granted = Math.max(0, Math.min(points, most - before));
      return { granted, remaining: Math.max(0, most - before - granted), resetMs: Math.max(0, msBeforeNext) };
    },
    /** Refunds points of an operation that has had no effect. */
    async refund(clientId: string, points: number): Promise<void> {
      await limiter.reward(clientId, points);
    },
  };
}

/**
 * Our pool as the library's client. Without the names of its statements: a pooler in transaction mode would not find
 * them.
 */
function withoutNames(orm: Orm) {
  const database = orm.em.fork().getKysely();
  return {
    query: ({ text, values }: { text: string; values?: unknown[] }) =>
      database.executeQuery(CompiledQuery.raw(text, values)),
  };
}
