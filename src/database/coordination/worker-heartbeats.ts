/**
 * Heartbeats of the worker processes, by role (decision §somebody-processes). A busy worker renews its heartbeat like an
 * idle one. The rows of a stopped or killed process expire. All times are the database's.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createSingleFlightCache } from '../../common/single-flight-cache.ts';
import { WORKER_ROLES, type WorkerRole } from '../../domain/task-queues.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';

/** Several heartbeats fit into the time after which a worker counts as absent, also on a busy machine. */
const RENEWAL_MS = 2_000;
const ABSENT_AFTER_MS = 10_000;
/** Cache time of the number of workers: all uploads and checks of a process share one query. */
const KNOWN_MS = 1_000;

/** Worker processes by role. */
type WorkerCounts = Record<WorkerRole, number>;

export function createWorkerHeartbeats(orm: Orm) {
  const db = statements(orm.em.fork());
  const oldest = sql`clock_timestamp() - ${ABSENT_AFTER_MS} * interval '1 millisecond'`;

  async function countNow(): Promise<WorkerCounts> {
    const rows = await db.rows<{ role: WorkerRole; processes: number }>`
      select role, count(*)::int as processes from worker_heartbeat where seen_at > ${oldest} group by role
    `;
    const found = Object.fromEntries(rows.map(({ role, processes }) => [role, processes]));
    return Object.fromEntries(WORKER_ROLES.map((role) => [role, found[role] ?? 0])) as WorkerCounts;
  }

  async function renew(holder: string, roles: readonly WorkerRole[]): Promise<void> {
    await db.run`
      insert into worker_heartbeat (role, holder, seen_at)
      select role, ${holder}, clock_timestamp() from unnest(${roles}::text[]) role
      on conflict (role, holder) do update set seen_at = excluded.seen_at`;
  }

  /** Removes the rows of ended processes, so that the table has few more rows than there are processes. */
  async function sweep(): Promise<void> {
    await db.run`delete from worker_heartbeat where seen_at <= ${oldest}`;
  }

  return {
    /** Running worker processes by role, at most a second old. */
    count: createSingleFlightCache(countNow, () => KNOWN_MS).get,

    /**
     * Resolves after the first heartbeat. A failed heartbeat is repeated by the next one.
     *
     * @returns a function that ends the heartbeats
     */
    async start(roles: readonly WorkerRole[]): Promise<() => void> {
      const holder = randomUUID();
      let underWay = false;
      async function beat(): Promise<void> {
        if (underWay) return;
        underWay = true;
        await renew(holder, roles).catch(() => {});
        underWay = false;
      }
      await sweep().catch(() => {});
      await beat();
      const beating = setInterval(beat, RENEWAL_MS).unref();
      return () => clearInterval(beating);
    },
  };
}
