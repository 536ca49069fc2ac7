/**
 * Runs a service under load with injected faults: killed and stopped processes, cut networks, full disks.
 * Afterwards nothing may be lost and nothing doubled (test/chaos/checks.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { closing, inScope } from '../support/cleanup.ts';
import { type CheckResult, table, tally, verdictOf } from '../support/proof.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { partsOf, startWorld, type World, type WorldOptions } from '../support/starters/world.ts';
import { settle } from './aftermath.ts';
import { createClients, type LoadCounts, type LoadOptions, sendAll } from './clients.ts';
import { openObserver } from './facts.ts';
import { type Durations, FAULT_KINDS, type Fault, type PlannedKind, planFaults } from './faults.ts';
import { createTrouble, type Trouble } from './trouble.ts';

export interface ChaosOptions {
  seed: number;
  faults: number;
  imports: number;
  clients: number;
  /** Range of products per import. */
  products: [from: number, to: number];
  durations: Durations;
  kinds?: readonly PlannedKind[];
  /** Limit of concurrent faults; 4 by default. */
  atOnce?: number;
  /** Replaces the plan that the seed makes. */
  plan?: readonly Fault[];
  /** Replaces two gateways, three workers and the embedded Temporal. */
  world?: Partial<Pick<WorldOptions, 'temporalCluster' | 's3Server' | 'workers'>>;
  /** Time limit for disturbed imports to end. */
  maxWaitMs: number;
  /**
   * Waits until the gateways have removed incomplete files themselves, which takes minutes; otherwise
   * retention removes them.
   */
  waitForGateways: boolean;
  say(line: string): void;
}

export interface ChaosResult {
  seed: number;
  faults: Record<string, number>;
  /** Kinds of faults that this machine cannot cause, with the reason. */
  skipped: string[];
  imports: number;
  submissions: number;
  mails: { received: number; repeated: number };
  load: LoadCounts;
  /** Number of processes that ended without a fault, and of those killed after a minute of shutdown. */
  processes: { endedByThemselves: number; stoppedLate: number };
  seconds: number;
  checks: CheckResult[];
}

export const GATEWAYS = 2;
export const WORKERS = 3;
const DISK_MB = 256;
const AT_ONCE = 4;

const ENV = {
  // A small limit makes inserts slow, and processes wait for each other's slots.
  REGULATOR_CONCURRENCY: '8',
  STORAGE_MIN_FREE_MB: '0',
};
const LATENCY_MS = 100;

export async function chaos(options: ChaosOptions): Promise<ChaosResult> {
  const { say } = options;
  const began = Date.now();
  const result = await inScope(async () => {
    const disk = options.world?.s3Server ? null : mountSmallDisk(DISK_MB);
    const world = await startWorld({
      gateways: GATEWAYS,
      workers: WORKERS,
      say,
      ...options.world,
      env: { ...ENV, ...(disk && { STORAGE_URL: `file://${disk.directory}` }) },
    });
    return disturb(world, disk, options);
  });
  return { ...result, seconds: (Date.now() - began) / 1000 };
}

async function disturb(
  world: World,
  disk: SmallDisk | null,
  options: ChaosOptions,
): Promise<Omit<ChaosResult, 'seconds'>> {
  const { seed, imports, products, say, world: { workers = WORKERS } = {} } = options;
  const all = options.plan ? [] : (options.kinds ?? (Object.keys(FAULT_KINDS) as PlannedKind[]));
  const kinds = all.filter((kind) => kind !== 'disk full' || disk !== null);
  const plan = options.plan ?? planFaults({ ...options, gateways: GATEWAYS, workers, kinds });
  Object.assign(world.simulator.simulation.behaviour, { latency_ms: LATENCY_MS });
  const clients = createClients(world);
  const trouble = createTrouble({ world, disk, clients });
  let begun = 0;
  const progress = () => begun / Math.max(1, plan.length);
  const load: LoadOptions = { seed, imports, clients: options.clients, products, progress };
  const sending = sendAll(clients, load);
  sending.catch(() => {}); // The error is handled at the await.
  await causeAll(trouble, plan, options.atOnce ?? AT_ONCE, (fault, number) => {
    begun = number;
    say(`${number}/${plan.length} ${fault.kind}${fault.target === null ? '' : ` · ${fault.target}`}`);
  });
  const observer = await closing(openObserver(world));
  const { checks, facts } = await settle({ ...options, world, observer, clients }, await sending);
  const mails = facts.mails.length;
  const distinct = new Set(facts.mails.map(({ messageId }) => messageId)).size;
  const parts = partsOf(world);
  return {
    seed,
    checks,
    load: clients.counts,
    faults: Object.fromEntries(
      [...kinds, ...plan.map(({ kind }) => kind)].map((kind) => [
        kind,
        plan.filter((fault) => fault.kind === kind).length,
      ]),
    ),
    skipped: all.length === kinds.length ? [] : ['disk full: it takes root to mount a small file system'],
    imports: facts.imports.length,
    submissions: facts.submissions.length,
    mails: { received: mails, repeated: mails - distinct },
    processes: {
      endedByThemselves: parts.reduce((sum, part) => sum + part.endedByItself(), 0),
      stoppedLate: parts.reduce((sum, part) => sum + part.stoppedLate(), 0),
    },
  };
}

/** Each fault begins while some earlier ones last. The number is limited: a service that never recovers shows nothing. */
async function causeAll(
  { cause }: Trouble,
  plan: readonly Fault[],
  atOnce: number,
  announce: (fault: Fault, number: number) => void,
): Promise<void> {
  const under = new Set<Promise<void>>();
  const failed: unknown[] = [];
  for (const [index, fault] of plan.entries()) {
    announce(fault, index + 1);
    const caused = cause(fault)
      .catch((error) => void failed.push(error))
      .finally(() => under.delete(caused));
    under.add(caused);
    await sleep(fault.pauseSeconds * 1000);
    while (under.size >= atOnce) await Promise.race(under);
  }
  await Promise.all(under);
  if (failed.length > 0) throw failed[0];
}

export function reportOf(result: ChaosResult): string {
  const { seed, faults, imports, submissions, mails, load, processes, seconds, checks, skipped } = result;
  const { endedByThemselves, stoppedLate } = processes;
  return [
    table([...Object.entries(faults), ['faults', Object.values(faults).reduce((sum, n) => sum + n, 0)]]),
    table([
      ['seed', seed],
      ['imports, submissions', `${imports}, ${submissions}`],
      ['mails', `${mails.received}, ${mails.repeated} of them again under their Message-ID`],
      ['requests', `${load.requests}: ${tally(load.outcomes)}`],
      ['processes', `${endedByThemselves} ended by themselves, ${stoppedLate} stopped late`],
      ['seconds', Math.round(seconds)],
    ]),
    ...skipped.map((reason) => `skipped: ${reason}`),
    verdictOf(checks),
  ].join('\n');
}
