/**
 * Limits the concurrent operations of a client, over all processes. Each operation holds a lease that its process
 * renews. The leases of a killed process end within a minute. All times are the database's.
 *
 * It uses neither locks of a connection nor transactions of several statements: it works behind a pooler, and a wait
 * for one client's row does not delay other clients.
 */
import { randomUUID } from 'node:crypto';
import type { Orm } from '../orm.ts';

const LEASE_MS = 60_000;

export interface ClientSlots {
  /** Slots per client. */
  readonly limit: number;
  /** Takes a slot; the result returns it. Null if all slots are taken. */
  take(clientId: string): Promise<(() => Promise<void>) | null>;
}

/**
 * @param kind name of the limit; each kind has its own count
 * @param onLost gets the reason why leases could not be renewed or returned; such leases expire
 */
export function createClientSlots(
  orm: Orm,
  kind: string,
  limit: number,
  { leaseMs = LEASE_MS, onLost = () => {} }: { leaseMs?: number; onLost?: (error: unknown) => void } = {},
): ClientSlots {
  const held = new Set<string>();
  let renewing: NodeJS.Timeout | undefined;
  const seconds = leaseMs / 1000;

  async function renew(): Promise<void> {
    await orm.em.fork().execute(
      `update client_slot set expires_at = clock_timestamp() + make_interval(secs => ?)
          where token in (select jsonb_array_elements_text(?::jsonb)::uuid)`,
      [seconds, JSON.stringify([...held])],
    );
  }

  function hold(token: string): void {
    held.add(token);
    renewing ??= setInterval(() => void renew().catch(onLost), leaseMs / 3).unref();
  }

  async function giveBack(token: string): Promise<void> {
    if (!held.delete(token)) return;
    if (held.size === 0) {
      clearInterval(renewing);
      renewing = undefined;
    }
    await orm.em.fork().execute('delete from client_slot where token = ?', [token]).catch(onLost);
  }

  /** If two requests see the same free slot, one gets it. The other looks again. */
  async function tryTake(clientId: string, token: string): Promise<'taken' | 'again' | 'full'> {
    const [row] = await orm.em.fork().execute<{ taken: boolean; seen: boolean }[]>(
      `with free as (
         select slot from generate_series(1, ?::int) slot
          where not exists (
            select 1 from client_slot s
             where s.kind = ? and s.client_id = ? and s.slot = slot.slot and s.expires_at > clock_timestamp())
          order by random() limit 1
       ), taken as (
         insert into client_slot as s (kind, client_id, slot, token, expires_at)
         select ?, ?, slot, ?, clock_timestamp() + make_interval(secs => ?) from free
         on conflict (kind, client_id, slot) do update
           set token = excluded.token, expires_at = excluded.expires_at where s.expires_at <= clock_timestamp()
         returning 1
       )
       select exists(select 1 from taken) as taken, exists(select 1 from free) as seen`,
      [limit, kind, clientId, kind, clientId, token, seconds],
    );
    if (row?.taken) return 'taken';
    return row?.seen ? 'again' : 'full';
  }

  return {
    limit,
    async take(clientId) {
      const token = randomUUID();
      for (;;) {
        const outcome = await tryTake(clientId, token);
        if (outcome === 'full') return null;
        if (outcome === 'again') continue;
        hold(token);
        return () => giveBack(token);
      }
    },
  };
}
