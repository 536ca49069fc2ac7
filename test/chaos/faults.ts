/** Plans the faults and their order: the same plan for the same seed. */
import { createRandom, type Random } from '../../tools/package-generator/random.ts';
import type { Link } from '../support/starters/world.ts';

/** The kind of fault, and its share in percent. */
export const FAULT_KINDS = {
  'kill -9': 24,
  'SIGSTOP, SIGCONT': 9,
  'connections cut': 16,
  'network silent': 12,
  'connections refused': 6,
  'disk full': 6,
  'client leaves in the middle': 8,
  'regulator loses answers': 4,
  'regulator unavailable': 2,
  'mail server refuses': 2,
  'everything restarted in any order': 1,
  'rolling restart': 2,
} as const;

/** Kinds that a plan for any world may contain. */
export type PlannedKind = keyof typeof FAULT_KINDS;

/**
 * `S3 away until an upload fails` needs a world with an S3 server: it is killed, and stays away until an upload is refused for it.
 * `scaled in and out` stops a process as an autoscaler does, and starts it after the duration.
 */
export type FaultKind = PlannedKind | 'S3 away until an upload fails' | 'scaled in and out';

/**
 * A process by its role; gateways, workers and nodes of Temporal by their number from 0. Without a number,
 * any node of Temporal.
 */
export type Target = 'PostgreSQL' | 'Temporal' | `${'Temporal' | 'gateway' | 'worker'} ${number}`;

export interface Fault {
  kind: FaultKind;
  /** Target of the fault; null when the kind determines it. */
  target: Target | Link | null;
  /** Duration of the fault. */
  seconds: number;
  /** Time until the next fault begins. */
  pauseSeconds: number;
  /** For random choices when the fault begins. */
  random: Random;
}

export interface Durations {
  /** Longer than every heartbeat of a worker (10 s), and than the leases that it prolongs. */
  freezeSeconds: [from: number, to: number];
  /** Longer than the lease of an upload (a minute). */
  freezeGatewaySeconds: [from: number, to: number];
  /** Duration for a network, a disk, a regulator. */
  outageSeconds: [from: number, to: number];
  /** Duration for a silent network. Longer than the leases of call slots (6 s) and the heartbeats of a worker (10 s). */
  silenceSeconds: [from: number, to: number];
  pauseSeconds: [from: number, to: number];
}

export const LONG: Durations = {
  freezeSeconds: [12, 25],
  freezeGatewaySeconds: [62, 70],
  outageSeconds: [3, 15],
  // From within the limit of a connection to PostgreSQL (30 s) to beyond that of an answer (60 s).
  silenceSeconds: [20, 75],
  pauseSeconds: [1, 4],
};

/** A worker's leases and heartbeats still end; an upload's do not. */
export const SHORT: Durations = {
  freezeSeconds: [11, 12],
  freezeGatewaySeconds: [7, 8],
  outageSeconds: [1, 3],
  silenceSeconds: [11, 12],
  pauseSeconds: [1, 2],
};

export interface PlanOptions {
  seed: number;
  faults: number;
  gateways: number;
  workers: number;
  durations: Durations;
  /** Kinds without those that this machine cannot cause. */
  kinds: readonly PlannedKind[];
}

/** Each kind occurs at least once when there are enough faults, the others by their weights; in random order. */
export function planFaults({ seed, faults, kinds, ...options }: PlanOptions): Fault[] {
  const random = createRandom(seed, 'faults');
  const once = random.shuffle(kinds).slice(0, faults);
  const weights = kinds.map((kind) => [kind, FAULT_KINDS[kind]] as const);
  const others = Array.from({ length: faults - once.length }, () => random.weighted(weights));
  return random.shuffle([...once, ...others]).map((kind, index) => {
    const own = createRandom(seed, 'fault', index);
    const target = targetOf(kind, own, options);
    const between = ([from, to]: [number, number]) => own.int(from * 1000, to * 1000) / 1000;
    return {
      kind,
      target,
      random: own,
      seconds: between(lengthOf(kind, target, options.durations)),
      pauseSeconds: between(options.durations.pauseSeconds),
    };
  });
}

function targetOf(
  kind: FaultKind,
  random: Random,
  { gateways, workers }: Pick<PlanOptions, 'gateways' | 'workers'>,
): Fault['target'] {
  switch (kind) {
    case 'kill -9':
    case 'SIGSTOP, SIGCONT':
      return random.weighted<Target>([
        ['PostgreSQL', 1],
        ['Temporal', 1],
        [`gateway ${random.int(0, gateways - 1)}`, 2],
        [`worker ${random.int(0, workers - 1)}`, 3],
      ]);
    case 'connections cut':
    case 'network silent':
    case 'connections refused':
      return random.pick<Link>(['clients', 'PostgreSQL', 'Temporal', 'regulator', 'mail']);
    default:
      return null;
  }
}

function lengthOf(kind: FaultKind, target: Fault['target'], durations: Durations): [number, number] {
  switch (kind) {
    case 'SIGSTOP, SIGCONT':
      return target?.startsWith('gateway') ? durations.freezeGatewaySeconds : durations.freezeSeconds;
    case 'network silent':
      return durations.silenceSeconds;
    default:
      return durations.outageSeconds;
  }
}
