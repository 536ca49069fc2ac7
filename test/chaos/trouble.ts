/** Causes the faults of a plan in a world, and repairs each afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour } from '../../src/trial-parts/regulator-simulator/behaviour.ts';
import type { Random } from '../../tools/package-generator/random.ts';
import { eventually } from '../support/eventually.ts';
import type { Restartable } from '../support/restartable.ts';
import type { SmallDisk } from '../support/small-disk.ts';
import { type Link, partsOf, type World } from '../support/starters/world.ts';
import type { Fault, FaultKind, Target } from './faults.ts';

/** Faults of the clients. */
export interface Victims {
  /** The next upload ends in the middle of its body. */
  leaveInTheMiddle(): void;
  /** Number of uploads that were refused for an unavailable part, with the advice to retry. */
  putOff(): number;
}

export interface Surroundings {
  world: World;
  /** The disk of the archive; null when none can be filled. */
  disk: SmallDisk | null;
  clients: Victims;
}

export interface Trouble {
  /** Resolves when the fault is over. Other faults of the same target wait meanwhile. */
  cause(fault: Fault): Promise<void>;
}

/** Room for a ZIP or for half of it. */
const LEFT_BYTES = 32 * 1024;
/** Some uploads start at the beginning of every fault. */
const UPLOAD_COMES_MS = 5 * 60_000;

export function createTrouble({ world, disk, clients }: Surroundings): Trouble {
  const { links, simulator, mailbox } = world;
  const { behaviour } = simulator.simulation;
  const inTurn = createTurns();
  const all = partsOf(world);

  function partOf(target: Target, random: Random): Restartable {
    if (target === 'PostgreSQL') return world.postgres;
    if (target === 'Temporal') return random.pick(world.temporal);
    const [role, number] = target.split(' ');
    const parts = { gateway: world.gateways, worker: world.workers, Temporal: world.temporal }[role ?? ''];
    const part = parts?.[Number(number)];
    if (!part) throw new Error(`there is no ${target}`);
    return part;
  }

  async function during(seconds: number, begin: () => unknown, end: () => unknown): Promise<void> {
    try {
      await begin();
      await sleep(seconds * 1000);
    } finally {
      await end();
    }
  }

  const withPart = (
    { target, random }: Pick<Fault, 'target' | 'random'>,
    work: (part: Restartable) => Promise<void>,
  ) => {
    const part = partOf(target as Target, random);
    return inTurn([part.name], () => work(part));
  };
  const withLink = (target: Fault['target'], work: (link: Link) => Promise<void>) =>
    inTurn([`to ${target}`], () => work(target as Link));

  /** Changes the regulator's behaviour for a while. Other changes wait. */
  const misbehaving = (seconds: number, change: Partial<Behaviour>) =>
    inTurn(['regulator'], () => {
      const before = { ...behaviour };
      return during(
        seconds,
        () => Object.assign(behaviour, change),
        () => Object.assign(behaviour, before),
      );
    });

  const causes: Record<FaultKind, (fault: Fault) => Promise<void>> = {
    'kill -9': (fault) =>
      withPart(fault, async (part) => {
        await part.kill();
        await part.start();
      }),
    'SIGSTOP, SIGCONT': (fault) => withPart(fault, (part) => during(fault.seconds, part.freeze, part.thaw)),
    'connections cut': ({ target }) => withLink(target, async (link) => void links[link].cut()),
    // The proxy accepts connections and sends nothing, not even a greeting.
    'network silent': ({ target, seconds, random }) =>
      withLink(target, (link) =>
        during(seconds, links[link].silence, () => {
          // Data on the way are lost, or arrive late.
          if (random.chance(0.5)) links[link].cut();
          links[link].restore();
        }),
      ),
    'connections refused': ({ target, seconds }) =>
      withLink(target, (link) => during(seconds, links[link].refuse, links[link].restore)),
    'disk full': ({ seconds }) =>
      inTurn(['disk'], () =>
        during(
          seconds,
          () => disk?.leave(LEFT_BYTES),
          () => disk?.makeRoom(),
        ),
      ),
    'client leaves in the middle': async () => clients.leaveInTheMiddle(),
    'regulator loses answers': ({ seconds }) =>
      misbehaving(seconds, { lost_answer_rate: 0.3, failure_rate: 0.1 }),
    'regulator unavailable': ({ seconds }) => misbehaving(seconds, { unavailable: true }),
    'mail server refuses': ({ seconds }) =>
      inTurn(['mail server'], () =>
        during(
          seconds,
          () => mailbox.refuseWith(451),
          () => mailbox.refuseWith(null),
        ),
      ),
    'everything restarted in any order': ({ random }) =>
      inTurn(
        all.map(({ name }) => name),
        async () => {
          const ended = random.shuffle(all).map((part) => (random.chance(0.5) ? part.kill() : part.stop()));
          await Promise.all(ended);
          // A process that starts before its dependencies restarts repeatedly.
          const starting = random.shuffle(all).map(async (part, index) => {
            await sleep(index * 200);
            await part.start();
          });
          await Promise.all(starting);
        },
      ),
    'S3 away until an upload fails': () =>
      inTurn(['S3'], async () => {
        const before = clients.putOff();
        await world.s3?.kill();
        try {
          await eventually(async () => clients.putOff() > before, UPLOAD_COMES_MS);
        } finally {
          await world.s3?.start();
        }
      }),
    'scaled in and out': (fault) => withPart(fault, (part) => during(fault.seconds, part.stop, part.start)),
    'rolling restart': async () => {
      // The restart of a single server is visible to its clients.
      const nodes = world.temporal.length > 1 ? world.temporal : [];
      for (const part of [...world.gateways, ...world.workers, ...nodes])
        await inTurn([part.name], async () => {
          await part.stop();
          await part.start();
        });
    },
  };

  return { cause: (fault) => causes[fault.kind](fault) };
}

/** Runs work on the same target in order of arrival. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return function inTurn(names: readonly string[], work: () => Promise<void>): Promise<void> {
    const before = names.map((name) => last.get(name));
    const own = Promise.allSettled(before).then(work);
    for (const name of names)
      last.set(
        name,
        own.catch(() => {}),
      );
    return own;
  };
}
