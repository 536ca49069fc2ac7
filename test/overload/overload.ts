/** Everybody asks for too much at the same time; one client does not. What holds is told by test/overload/verdict.ts. */

import { type Observer, openObserver } from '../chaos/facts.ts';
import { closing, inScope } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { type EachMemoryWatch, watchEachMemory } from '../support/memory.ts';
import { startWorld, type World } from '../support/starters/world.ts';
import { flood, startHonestClient, type UploadOptions, upload } from './flood.ts';
import { createProductIds, type HostileSizes, hostile, ordinary } from './packages.ts';
import type { ProcessSeen, Seen } from './verdict.ts';

export interface OverloadOptions {
  /** At once, of one product each. */
  uploads: number;
  /** Among whom they are shared, and among as many others the dry runs. */
  flooders: number;
  /** Inserts that wait when the flood begins. */
  waiting: number;
  dryRuns: number;
  hostile: HostileSizes;
  gateways: number;
  workers: number;
  /** For everything to have ended once nobody asks any more. */
  patienceMs: number;
  say(line: string): void;
}

const MIB = 1024 * 1024;
/** Products of one package of those that wait. */
const WAITING_PACKAGE = 1_000;
/** While they wait: each call of theirs takes as long. */
const SLOW_MS = 10_000;
const FLOODER_TIMEOUT_MS = 10 * 60_000;

export async function overload(options: OverloadOptions): Promise<Seen> {
  const { gateways, workers, say } = options;
  return inScope(async () => {
    const world = await startWorld({ gateways, workers, say });
    return underFlood(world, await closing(openObserver(world)), options);
  });
}

async function underFlood(world: World, observer: Observer, options: OverloadOptions): Promise<Seen> {
  const { say, waiting, patienceMs } = options;
  const nextId = createProductIds();
  const { behaviour } = world.simulator.simulation;
  // Idle is a process that has done everything once.
  await upload(world, { clientId: 'honest-client', zip: ordinary(nextId), timeoutMs: FLOODER_TIMEOUT_MS });
  const parts = [...world.gateways, ...world.workers];
  const memory = await watchEachMemory(parts.map((part) => part.pid() ?? 0));
  say(`${waiting} inserts are made to wait …`);
  behaviour.latency_ms = SLOW_MS;
  const seen = await makeWait(world, observer, nextId, waiting);
  say(`${seen} inserts wait. The flood begins …`);
  // Made before anybody looks at a clock: it keeps this process busy for seconds.
  const uploads = floodOf(nextId, options);
  const honest = startHonestClient(world, () => ordinary(nextId));
  const flooders = await Promise.all(uploads.map(({ what, ...upload }) => flood(world, what, upload)));
  say('The flood is over. Waiting until everything has ended …');
  behaviour.latency_ms = 0;
  const notRecovered = await recovered(observer, patienceMs);
  await honest.stop();
  await memory.stop();
  return {
    honest: honest.seen,
    flooders,
    notRecovered,
    waiting: { wanted: waiting, seen },
    processes: processesSeen(parts, memory),
  };
}

function floodOf(
  nextId: () => string,
  { uploads, flooders, dryRuns, hostile: sizes }: OverloadOptions,
): (UploadOptions & { what: string })[] {
  const timeoutMs = FLOODER_TIMEOUT_MS;
  // Each kind has clients of its own: else their own flood of one would keep all of another out.
  const small = (what: string, dryRun: boolean) => (_: unknown, index: number) => ({
    what,
    clientId: `${dryRun ? 'checker' : 'flooder'}-${(index % flooders) + 1}`,
    zip: ordinary(nextId),
    dryRun,
    timeoutMs,
  });
  const packages = [...hostile(nextId, sizes)].map((zip, index) => ({
    what: `hostile package ${index + 1}`,
    clientId: `hostile-${(index % 2) + 1}`,
    zip,
    timeoutMs,
  }));
  return [
    ...Array.from({ length: uploads }, small('upload', false)),
    ...Array.from({ length: dryRuns }, small('dry run', true)),
    ...packages,
  ];
}

/** Some end meanwhile, in whose place others come. Gives how many wait. */
async function makeWait(
  world: World,
  observer: Observer,
  nextId: () => string,
  wanted: number,
): Promise<number> {
  let waiting = 0;
  // A package that is not taken is not asked for without end.
  for (let tries = 0; waiting < wanted && tries < 2 + (2 * wanted) / WAITING_PACKAGE; tries += 1) {
    const products = Math.min(wanted - waiting, WAITING_PACKAGE);
    const zip = ordinary(nextId, products);
    await upload(world, { clientId: 'large-client', zip, timeoutMs: FLOODER_TIMEOUT_MS });
    waiting = await waitingInserts(observer);
  }
  return waiting;
}

async function waitingInserts({ sql }: Observer): Promise<number> {
  const [row] = await sql<{ n: number }>(
    `select count(*)::int as n from submission where status = 'regulator_inserting'`,
  );
  return row?.n ?? 0;
}

/** Everything has ended but what the honest client is at: no import of others, no lease of theirs. */
async function recovered({ sql }: Observer, patienceMs: number): Promise<string[]> {
  const left = async () => {
    const rows = await sql<{ left: string }>(
      `select 'import ' || id || ' of ' || client_id || ' is ' || status as left from zip_import
         where completed_at is null and status <> 'failed' and client_id <> 'honest-client'
       union all select kind || ' ' || slot || ' of ' || client_id from client_slot
         where expires_at > clock_timestamp() and client_id <> 'honest-client'`,
    );
    return rows.map((row) => row.left);
  };
  await eventually(async () => (await left()).length === 0, patienceMs).catch(() => {});
  return left();
}

function processesSeen(
  parts: readonly { name: string; endedByItself(): number }[],
  { idle, peak }: Pick<EachMemoryWatch, 'idle' | 'peak'>,
): ProcessSeen[] {
  return parts.map((part, index) => ({
    name: part.name,
    idleMb: (idle[index] ?? 0) / MIB,
    peakMb: (peak[index] ?? 0) / MIB,
    ended: part.endedByItself(),
  }));
}
