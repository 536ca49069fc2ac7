/**
 * How much a client may do at once, over all processes: leases that their process renews, so that a process that is
 * killed keeps none for longer than a minute. All times are the database's.
 *
 * No locks of a connection and no transaction of several statements: it works behind a pooler, and a wait for one
 * client's row keeps nothing from others.
 */
import { randomUUID } from 'node:crypto';
import type { Orm } from './orm.ts';

const LEASE_MS = 60_000;

export interface ClientSlots {
  /** Of one client. */
  readonly limit: number;
  /** Takes one, to be given back by calling the result; null where all are taken. */
  take(clientId: string): Promise<(() => Promise<void>) | null>;
}

/**
 * @param kind of what is under way; one kind is one count
 * @param onLost is told why leases could not be renewed or given back; they end by themselves
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

  /** Of two that see the same slot free, one gets it; the other has to look again. */
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
