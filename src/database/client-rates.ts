/**
 * How much a client may do in a while, over all gateways: so many times in a window that begins with the first. The
 * counting is that of rate-limiter-flexible; table and connections are ours.
 */
import type { PostgreSqlConnection } from '@mikro-orm/postgresql';
import { RateLimiterMemory, RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Orm } from './orm.ts';

/** What a client was given of its rate. */
export interface RateTaken {
  /** Less than what was asked for where there is not so much left. */
  granted: number;
  /** Left in this window beyond what was given. */
  remaining: number;
  /** Milliseconds until the window ends and all is there again. */
  resetMs: number;
}

export interface ClientRateLimit {
  /** Of what; one kind is one count. */
  readonly kind: string;
  /** In one window. */
  readonly points: number;
  readonly windowSeconds: number;
  take(clientId: string, points: number): Promise<RateTaken>;
}

/**
 * @param kind of what; one kind is one count
 * @param limit so many points in so many seconds
 */
export function createClientRate(
  orm: Orm,
  kind: string,
  limit: { points: number; windowSeconds: number },
): ClientRateLimit {
  const { points: most, windowSeconds } = limit;
  const options = { keyPrefix: kind, points: most, duration: windowSeconds };
  const limiter = new RateLimiterPostgres({
    ...options,
    storeClient: withoutNames(orm),
    storeType: 'client',
    tableName: 'client_rate',
    tableCreated: true,
    // Who has used up everything is refused without a statement.
    inMemoryBlockOnConsumed: most,
    // A database that is away refuses nobody: what needs it says so itself. Until it is back each process counts.
    insuranceLimiter: new RateLimiterMemory(options),
  });

  return {
    kind,
    points: most,
    windowSeconds,
    async take(clientId, points) {
      const taken = await limiter.consume(clientId, points).catch((refused: RateLimiterRes | Error) => {
        if (refused instanceof Error) throw refused;
        return refused;
      });
      const { consumedPoints, msBeforeNext } = taken;
      // Refused in memory: nothing was counted.
      const before = consumedPoints === 0 ? most : consumedPoints - points;
      const granted = Math.max(0, Math.min(points, most - before));
      return { granted, remaining: Math.max(0, most - before - granted), resetMs: Math.max(0, msBeforeNext) };
    },
  };
}

/**
 * Our pool, as the library's client. It names its statements, and so prepares them for a connection: behind a pooler
 * that gives a connection for a transaction only, they would not be found again.
 */
function withoutNames(orm: Orm) {
  const connection = orm.em.getConnection() as PostgreSqlConnection;
  return {
    async query({ text, values }: { text: string; values?: unknown[] }) {
      const pool = await connection.getNativeClient();
      return pool.query(text, values);
    },
  };
}
