/**
 * What can end its own process, by the memory that it takes, is not tried without end. A try that fails in an orderly
 * way, because the database or the mail server is away, leaves word of that with its last heartbeat; one of which no
 * such word has come was lost with its process (decision §timeouts-and-retries).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { TriedTooOften } from '../src/domain/errors.ts';
import { heartbeating } from './heartbeating.ts';

/** What heartbeats say beside the progress. */
interface Trace {
  /** Tries that were lost at work. */
  deaths: number;
  /** Tries that were lost, also while they waited for their turn and were not to blame. */
  lost: number;
  waiting?: boolean;
  over?: boolean;
}

/** From the second lost try on, a piece of work is under suspicion. */
const SUSPICIOUS = 2;
/** Longer than heartbeats are held back (src/temporal/workers.ts): what is said before is known after. */
const SETTLED_MS = 5_000;

export interface Outliving {
  /** Changes what the heartbeats say of the progress. */
  report(progress: object): void;
  /** Whether it should be done while nothing else is, so that only who is to blame is blamed. */
  suspicious: boolean;
  /** Waits for a turn: to be lost meanwhile counts for nothing. */
  wait<T>(turn: Promise<T>): Promise<T>;
}

/**
 * @param what for the reason, as the beginning of a sentence
 * @param deathsAllowed tries that may be lost
 * @throws TriedTooOften when so many were lost
 */
export async function outliving<T>(
  { what, deathsAllowed }: { what: string; deathsAllowed: number },
  work: (outliving: Outliving) => Promise<T>,
): Promise<T> {
  const { deaths, lost } = traceOf(Context.current().info.heartbeatDetails);
  return heartbeating(async (report) => {
    let details: Trace = { deaths, lost };
    const say = (more: object) => {
      details = { ...details, ...more };
      report(details);
    };
    try {
      if (deaths >= deathsAllowed) throw new TriedTooOften(what, deaths);
      await settled();
      return await work({
        report: say,
        suspicious: lost >= SUSPICIOUS,
        async wait(turn) {
          say({ waiting: true });
          const result = await turn;
          say({ waiting: false });
          await settled();
          return result;
        },
      });
    } finally {
      say({ over: true });
    }

    /** Whoever was lost before lets it be known that he is at work before he is. */
    async function settled(): Promise<void> {
      report(details);
      if (lost > 0) await sleep(SETTLED_MS);
    }
  });
}

/** @param last what the last heartbeat of the try before said; undefined for the first */
function traceOf(last: Partial<Trace> | undefined): Pick<Trace, 'deaths' | 'lost'> {
  const { deaths = 0, lost = 0, waiting, over } = last ?? { over: true };
  if (over) return { deaths, lost };
  return { deaths: waiting ? deaths : deaths + 1, lost: lost + 1 };
}
