/** Prometheus metrics of a process. Labels have few values, and never ids. */

import { collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client';
import pTimeout from 'p-timeout';
import { createSingleFlightCache } from '../common/single-flight-cache.ts';
import type { RegulatorRequest } from '../regulator/send.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

let ofProcess: Registry | undefined;

/** The default metrics of Node.js: memory, CPU, event loop, garbage collector. A process collects them once. */
function processRegistry(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  // The event loop's lag is measured, its utilization is not: that takes a timer, 10 times a second.
  collectDefaultMetrics({ register: ofProcess, eventLoopUtilizationTimeout: LONGEST_TIMER_MS });
  for (const kind of ['summary', 'histogram'])
    ofProcess.removeSingleMetric(`nodejs_eventloop_utilization_${kind}`);
  return ofProcess;
}

/**
 * A registry in the text format of Prometheus, with the metrics of the process.
 *
 * @param others further metrics in this format, with other names
 */
export function expositionOf(registry: Registry, others: () => Promise<string> = async () => '') {
  const ofNode = processRegistry();
  return {
    contentType: registry.contentType,
    async text() {
      const parts = await Promise.all([registry.metrics(), ofNode.metrics(), others()]);
      return parts.join('');
    },
  };
}

/** Time for which a read value is cached, for all scrapes and all gauges of it. */
const FRESH_MS = 5_000;
/** Longest wait for it: Prometheus waits ten seconds for all metrics together. The read continues for later scrapes. */
const READ_TIMEOUT_MS = 3_000;

/** A number, or one for each combination of labels. */
type Shown = number | readonly (readonly [labels: Record<string, string>, value: number])[];

/**
 * Returns a function that makes gauges of what is read. They are absent while the read fails, gives no answer in time or
 * gives null: a stale number or a 0 would be mistaken for a fact.
 */
export function gaugesOf<T>(registry: Registry, read: () => Promise<T | null>, freshMs = FRESH_MS) {
  const { get } = createSingleFlightCache(read, () => freshMs);
  // A gauge without labels shows 0 after a reset; one with labels is absent.
  return (name: string, help: string, shownOf: (seen: T) => Shown, labelNames: string[] = ['none']): void => {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        this.reset();
        const seen = await pTimeout(get(), { milliseconds: READ_TIMEOUT_MS }).catch(() => null);
        if (seen === null) return;
        const shown = shownOf(seen);
        if (typeof shown === 'number') this.set(shown);
        else for (const [labels, value] of shown) this.set(labels, value);
      },
    });
  };
}

/** Seconds, from a database query to a large upload or a slow regulator. */
export const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/**
 * The name of a call to the regulator, for metrics and traces. Ids in paths are replaced, so that the names are few.
 *
 * @returns a name such as `PUT /cases/{case_id}/steps/design` (docs/regulator-api.md)
 */
export function operationOf({ method, url }: Pick<RegulatorRequest, 'method' | 'url'>): string {
  const { pathname } = new URL(url);
  const [, path = '/other'] = /(\/(?:cases|session)(?:\/.*)?)$/.exec(pathname) ?? [];
  const template = path
    .replace(/^\/cases\/[^/]+/, '/cases/{case_id}')
    .replace(/\/attachments\/.+$/, '/attachments/{attachment_id}');
  return `${method} ${template}`;
}
