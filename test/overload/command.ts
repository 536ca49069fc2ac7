/**
 * `npm run prove -- overload`: everybody asks for too much at the same time; one client does not, and must hardly notice
 * (test/overload/verdict.ts).
 */
import { Command } from 'commander';
import { announce, fail } from '../../src/processes/shared/program.ts';
import { type Observer, openObserver } from '../chaos/facts.ts';
import { closing, inScope } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { type MemoryWatch, watchMemory } from '../support/memory.ts';
import { holds } from '../support/proof.ts';
import { startWorld, type World } from '../support/starters/world.ts';
import {
  createProductIds,
  flood,
  hostile,
  ordinary,
  startHonestClient,
  type UploadOptions,
  upload,
} from './flood.ts';
import { checkAll, type ProcessSeen, reportOf, type Seen } from './verdict.ts';

interface Sizes {
  /** At once, of one product each. */
  uploads: number;
  /** Inserts that wait when the flood begins. */
  waiting: number;
  /** At once. */
  dryRuns: number;
  /** ZIPs of long-named empty entries. */
  directories: number;
  /** For everything to have ended once nobody asks any more. */
  maxWaitMs: number;
}

const FULL: Sizes = { uploads: 200, waiting: 5_000, dryRuns: 40, directories: 8, maxWaitMs: 30 * 60_000 };
const SHORT: Sizes = { uploads: 40, waiting: 300, dryRuns: 10, directories: 2, maxWaitMs: 5 * 60_000 };
/** The numbers of issue 11. */
const HOSTILE = { products: 60, references: 45_000, attachments: 70_000, entries: 95_000 };
/** Clients among whom the uploads are shared, and as many others among whom the dry runs are. */
const FLOODERS = 4;
const PROCESSES = { gateways: 2, workers: 2 };

const MIB = 1024 * 1024;
/** Products of one package of those that wait. */
const WAITING_PACKAGE = 1_000;
/** While they wait: each call of theirs takes as long. */
const SLOW_MS = 10_000;
const FLOODER_TIMEOUT_MS = 10 * 60_000;
/** Rare: the processes need the machine for hours. */
const SAMPLE_MS = 250;

const { short } = new Command('overload')
  .description(
    'Floods the service and looks after a client who does not. Ends with 1 and a list of what does not hold.',
  )
  .option('--short', 'for small machines: 40 uploads instead of 200, 300 waiting inserts instead of 5,000')
  .showHelpAfterError('(--help shows all options)')
  .allowExcessArguments(false)
  .parse()
  .opts<{ short?: true }>();

try {
  const seen = await inScope(async () => {
    const world = await startWorld({ ...PROCESSES, say: announce });
    return underFlood(world, await closing(openObserver(world)), short ? SHORT : FULL);
  });
  announce(reportOf(seen));
  process.exit(holds(checkAll(seen)) ? 0 : 1);
} catch (error) {
  fail(error);
}

async function underFlood(world: World, observer: Observer, sizes: Sizes): Promise<Seen> {
  const { waiting, maxWaitMs } = sizes;
  const nextId = createProductIds();
  const { behaviour } = world.simulator.simulation;
  // Idle is a process that has done everything once.
  await upload(world, { clientId: 'honest-client', zip: ordinary(nextId), timeoutMs: FLOODER_TIMEOUT_MS });
  const parts = [...world.gateways, ...world.workers];
  const pids = parts.map((part) => part.pid() ?? 0);
  const memory = await watchMemory(pids, SAMPLE_MS);
  announce(`${waiting} inserts are made to wait …`);
  behaviour.latency_ms = SLOW_MS;
  const seen = await makeWait(world, observer, nextId, waiting);
  announce(`${seen} inserts wait. The flood begins …`);
  // Made before anybody looks at a clock: it keeps this process busy for seconds.
  const uploads = floodOf(nextId, sizes);
  const honest = startHonestClient(world, () => ordinary(nextId));
  const flooders = await Promise.all(uploads.map(({ what, ...upload }) => flood(world, what, upload)));
  announce('The flood is over. Waiting until everything has ended …');
  behaviour.latency_ms = 0;
  const notRecovered = await recovered(observer, maxWaitMs);
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
  { uploads, dryRuns, directories }: Sizes,
): (UploadOptions & { what: string })[] {
  const timeoutMs = FLOODER_TIMEOUT_MS;
  // Each kind has clients of its own: else their own flood of one would keep all of another out.
  const small = (what: string, dryRun: boolean) => (_: unknown, index: number) => ({
    what,
    clientId: `${dryRun ? 'checker' : 'flooder'}-${(index % FLOODERS) + 1}`,
    zip: ordinary(nextId),
    dryRun,
    timeoutMs,
  });
  const packages = [...hostile(nextId, { ...HOSTILE, directories })].map((zip, index) => ({
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
  for (let attempts = 0; waiting < wanted && attempts < 2 + (2 * wanted) / WAITING_PACKAGE; attempts += 1) {
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
async function recovered({ sql }: Observer, maxWaitMs: number): Promise<string[]> {
  const left = async () => {
    const rows = await sql<{ left: string }>(
      `select 'import ' || id || ' of ' || client_id || ' is ' || status as left from zip_import
         where completed_at is null and status <> 'failed' and client_id <> 'honest-client'
       union all select kind || ' ' || slot || ' of ' || client_id from client_slot
         where expires_at > clock_timestamp() and client_id <> 'honest-client'`,
    );
    return rows.map((row) => row.left);
  };
  await eventually(async () => (await left()).length === 0, maxWaitMs).catch(() => {});
  return left();
}

function processesSeen(
  parts: readonly { name: string; endedByItself(): number }[],
  { idle, peak }: Pick<MemoryWatch, 'idle' | 'peak'>,
): ProcessSeen[] {
  return parts.map((part, index) => ({
    name: part.name,
    idleMb: (idle[index] ?? 0) / MIB,
    peakMb: (peak[index] ?? 0) / MIB,
    ended: part.endedByItself(),
  }));
}
