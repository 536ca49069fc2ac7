/** Faults of the cluster while clients upload: each part ends once, then our parts and Temporal's are replaced one by one. */
import { createRandom } from '../../tools/package-generator/random.ts';
import type { Fault, Target } from '../chaos/faults.ts';

/** Seconds between the end of one fault and the beginning of the next. */
const PAUSE_S = 5;

export function clusterFaults(parts: { gateways: number; workers: number; nodes: number }): Fault[] {
  const numbered = (role: 'Temporal' | 'gateway' | 'worker', count: number) =>
    Array.from({ length: count }, (_, index): Target => `${role} ${index}`);
  const targets = [
    ...numbered('Temporal', parts.nodes),
    ...numbered('gateway', parts.gateways),
    ...numbered('worker', parts.workers),
  ];
  const random = createRandom(0, 'cluster');
  const common = { seconds: 0, pauseSeconds: PAUSE_S, random };
  return [
    ...targets.map((target): Fault => ({ ...common, kind: 'kill -9', target })),
    { ...common, kind: 'S3 away until an upload fails', target: null },
    { ...common, kind: 'rolling restart', target: null },
  ];
}
