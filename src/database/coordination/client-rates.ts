/**
 * Rate limits per client, over all gateways: points per window, which begins with the first use. rate-limiter-flexible
 * counts; table and connections are ours.
 */
import type { PostgreSqlConnection } from '@mikro-orm/postgresql';
import { RateLimiterMemory, RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Orm } from '../orm.ts';

/** Result of a take. */
export interface RateTaken {
  /** Granted points: fewer than requested if fewer are left. */
  granted: number;
  /** Points left in this window. */
  remaining: number;
  /** Milliseconds until the window ends and the limit resets. */
  resetMs: number;
}

export interface ClientRateLimit {
  /** Name of the limit; each kind has its own count. */
  readonly kind: string;
  /** Points per window. */
  readonly points: number;
  readonly windowSeconds: number;
  take(clientId: string, points: number): Promise<RateTaken>;
}

/**
 * @param kind name of the limit; each kind has its own count
 * @param limit points per window
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
    // A client without points left is refused without a statement.
    inMemoryBlockOnConsumed: most,
    // An unreachable database refuses nobody: other statements of the request fail with the reason. Until it is back,
    // each process counts by itself.
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
      // The request was refused in memory: nothing was counted.
      const before = consumedPoints === 0 ? most : consumedPoints - points;
      const granted = Math.max(0, Math.min(points, most - before));
      return { granted, remaining: Math.max(0, most - before - granted), resetMs: Math.max(0, msBeforeNext) };
    },
  };
}

/**
 * Adapts our pool to the library's client. The library names its statements, which prepares them on one connection. A
 * pooler in transaction mode would not find them again.
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
