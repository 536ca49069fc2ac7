/** The metrics of a process, as Prometheus scrapes them. Labels name kinds of things, never one of them. */
import { collectDefaultMetrics, Registry } from 'prom-client';

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

/** Seconds, from a look into the database to a large upload or a slow regulator. */
export const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** Starts a clock; gives the seconds since. */
export function stopwatch(): () => number {
  const started = performance.now();
  return () => (performance.now() - started) / 1000;
}
