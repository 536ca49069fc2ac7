/**
 * Limits the tries of work that can end its own process by its memory. A try that fails with an error, such as an
 * unreachable database or mail server, says so in its last heartbeat. A try without that heartbeat was lost with its
 * process (decision §timeouts-and-retries).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { DomainError } from '../src/domain/errors.ts';
import { heartbeating } from './activity-context.ts';

/** The work was lost with its process so often that it probably ends the process. */
class TriedTooOften extends DomainError {
  readonly permanent = true;

  /** @param what subject of the message's sentence, capitalized */
  constructor(what: string, lost: number) {
    super(
      `${what} has failed: the worker process crashed in ${lost} tries, probably because it ran out of memory.`,
    );
  }
}

/** Content of heartbeats beside the progress. */
interface Trace {
  /** Tries that the work itself has probably ended, since it last made progress. */
  deaths: number;
  /** All lost tries. */
  lost: number;
  /** Whether other work of the process, or a kill, may be the cause if this try is lost. */
  isShared: boolean;
  over?: boolean;
}

/** Lost tries from which work counts as suspicious. */
const SUSPICIOUS = 2;
/**
 * Longer than Temporal's throttling of heartbeats (src/temporal/workers.ts): heartbeats sent before have arrived after.
 */
const SETTLED_MS = 2_500;

interface LimitedTries {
  /** Begins the sentence of the reason. */
  what: string;
  /** Lost tries of the work itself after which it is given up. */
  deathsAllowed: number;
  /** Whether other work shares the process. A lost try then counts only after `beginAlone`. */
  isShared?: boolean;
}

export interface LimitedTry {
  /** Sets the progress in the heartbeats. */
  report(progress: object): void;
  /** Whether the work should run alone, so that a loss identifies its cause. */
  suspicious: boolean;
  /** To be called when nothing else runs in the process. From then on a loss counts. */
  beginAlone(): Promise<void>;
  /** To be called when a later try will not repeat the work so far: losses before it were not the fault of the rest. */
  madeProgress(): void;
}

/** @throws TriedTooOften when the work itself has probably ended so many tries */
export async function limitLostTries<T>(
  { what, deathsAllowed, isShared = false }: LimitedTries,
  work: (tries: LimitedTry) => Promise<T>,
): Promise<T> {
  const { deaths, lost } = traceOf(Context.current().info.heartbeatDetails);
  return heartbeating(async (report) => {
    let details: Trace = { deaths, lost, isShared };
    const say = (more: object) => {
      details = { ...details, ...more };
      report(details);
    };
    try {
      if (deaths >= deathsAllowed) throw new TriedTooOften(what, lost);
      if (isShared) report(details);
      else await countFromNow();
      return await work({
        report: say,
        suspicious: lost >= SUSPICIOUS,
        beginAlone: countFromNow,
        madeProgress: () => say({ deaths: 0 }),
      });
    } finally {
      say({ over: true });
    }

    /** After a lost try, waits until the heartbeat of this try has arrived at the server, before the work begins. */
    async function countFromNow(): Promise<void> {
      say({ isShared: false });
      if (lost > 0) await sleep(SETTLED_MS);
    }
  });
}

/** @param last last heartbeat of the previous try; undefined for the first try */
function traceOf(last: Partial<Trace> | undefined): Pick<Trace, 'deaths' | 'lost'> {
  const { deaths = 0, lost = 0, isShared = false, over } = last ?? { over: true };
  if (over) return { deaths, lost };
  return { deaths: isShared ? deaths : deaths + 1, lost: lost + 1 };
}
