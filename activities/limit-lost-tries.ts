/**
 * Limits the tries of work that can end its own process by its memory. A try that fails with an error, such as an
 * unreachable database or mail server, says so in its last heartbeat. A try without that heartbeat was lost with its
 * process (decision §timeouts-and-retries).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { TriedTooOften } from '../src/domain/errors.ts';
import { heartbeating } from './heartbeating.ts';

/** Content of heartbeats beside the progress. */
interface Trace {
  /** Tries that were lost while they worked. */
  deaths: number;
  /** Tries that were lost while they worked or waited. A waiting try did not cause the loss. */
  lost: number;
  waiting?: boolean;
  over?: boolean;
}

/** Lost tries from which work counts as suspicious. */
const SUSPICIOUS = 2;
/**
 * Longer than Temporal's throttling of heartbeats (src/temporal/workers.ts): heartbeats sent before have arrived after.
 */
const SETTLED_MS = 5_000;

export interface LimitedTry {
  /** Sets the progress in the heartbeats. */
  report(progress: object): void;
  /** Whether the work should run alone, so that a loss identifies its cause. */
  suspicious: boolean;
  /** Waits for a turn. A loss of the process during the wait is not counted. */
  wait<T>(turn: Promise<T>): Promise<T>;
}

/**
 * @param what begins the sentence of the reason
 * @param deathsAllowed tries that may be lost
 * @throws TriedTooOften when so many tries were lost
 */
export async function limitLostTries<T>(
  { what, deathsAllowed }: { what: string; deathsAllowed: number },
  work: (tries: LimitedTry) => Promise<T>,
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

    /** After a lost try, waits until the heartbeat of this try has arrived at the server, before the work begins. */
    async function settled(): Promise<void> {
      report(details);
      if (lost > 0) await sleep(SETTLED_MS);
    }
  });
}

/** @param last last heartbeat of the previous try; undefined for the first try */
function traceOf(last: Partial<Trace> | undefined): Pick<Trace, 'deaths' | 'lost'> {
  const { deaths = 0, lost = 0, waiting, over } = last ?? { over: true };
  if (over) return { deaths, lost };
  return { deaths: waiting ? deaths : deaths + 1, lost: lost + 1 };
}
