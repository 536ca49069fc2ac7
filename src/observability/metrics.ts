/** The metrics of a process, as Prometheus scrapes them. Labels name kinds of things, never one of them. */
import { LRUCache } from 'lru-cache';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface Exposition {
  contentType: string;
  text(): Promise<string>;
}

/** With what every Node.js process has: memory, CPU, event loop. */
export function createRegistry(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}

/** @param others further metrics in the text format of Prometheus, of other names */
export function expositionOf(registry: Registry, others: () => Promise<string> = async () => ''): Exposition {
  return {
    contentType: registry.contentType,
    async text() {
      const [ours, theirs] = await Promise.all([registry.metrics(), others()]);
      return ours + theirs;
    },
  };
}

/** However many scrape, and however many gauges show a part of it, a source is asked once in so long. */
const FRESH_MS = 5_000;

export interface Source<T> {
  /** Null where there is nothing to show. */
  read(): Promise<T | null>;
  show(gauge: Gauge, value: T): void;
}

/** A gauge that is absent while its source is away, or has nothing: a stale number, or a 0, would look like a fact. */
export function gaugeOf<T>(
  registry: Registry,
  about: { name: string; help: string; labelNames?: string[] },
  { read, show }: Source<T>,
): void {
  new Gauge({
    ...about,
    // Only a gauge that may have labels shows nothing when it is reset, instead of 0.
    labelNames: about.labelNames ?? ['none'],
    registers: [registry],
    async collect() {
      this.reset();
      const value = await read().catch(() => null);
      if (value !== null) show(this, value);
    },
  });
}

/** One read for all who ask while it is fresh. Failures are not kept. */
export function shared<T extends object>(
  read: () => Promise<T>,
  freshMs = FRESH_MS,
): () => Promise<T | null> {
  const cache = new LRUCache<'only', T>({ max: 1, ttl: freshMs, fetchMethod: read });
  return async () => (await cache.fetch('only')) ?? null;
}

/** Seconds, from a look into the database to a large upload or a slow regulator. */
export const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** Starts a clock; gives the seconds since. */
export function stopwatch(): () => number {
  const started = performance.now();
  return () => (performance.now() - started) / 1000;
}
