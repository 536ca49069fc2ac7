/**
 * Limits the attempts of reading a package, which can end its own process by its memory. An attempt that fails with an
 * error, such as an unreachable database, says so in its last heartbeat. An attempt without that heartbeat was lost
 * with its process (decision §timeouts-and-retries).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { count } from '../../src/common/text.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { heartbeating } from '../activity-context.ts';

/** Reading the package has crashed its process too often. */
class LostTooOften extends DomainError {
  readonly permanent = true;

  constructor(lost: number) {
    super(
      `Reading the package has failed: the worker process crashed in ${count(lost, 'attempt')}, probably because it ran out of memory.`,
    );
  }
}

/** Content of heartbeats beside the progress. */
interface Trace {
  /** Attempts since the last progress that were lost while they read alone: the package has probably ended them. */
  lostAlone: number;
  /** All lost attempts. */
  lost: number;
  /** Whether the process does other work as well. A crash then does not count against the package. */
  isShared: boolean;
  over?: boolean;
}

/** Lost attempts from which a package counts as suspicious. */
const SUSPICIOUS = 2;
/**
 * Longer than Temporal's throttling of heartbeats (src/temporal/workers.ts): heartbeats sent before have arrived after.
 */
const SETTLED_MS = 2_500;

/** Sets the progress in the heartbeats. */
export type ShowProgress = (progress: {
  phase: 'attachments and submitters' | 'products';
  done: number;
  total: number;
}) => void;

export interface LimitedAttempt {
  showProgress: ShowProgress;
  /** Whether the package should be read alone, so that a loss identifies its cause. */
  suspicious: boolean;
  /**
   * Call it when the process reads nothing but a suspicious package. A crash counts from then on. Waits until a heartbeat
   * with this state has arrived at the server.
   */
  beginAlone(): Promise<void>;
  /** Resets the crash count. Call it when the work so far is recorded: a later crash concerns other files. */
  madeProgress(): void;
}

/**
 * @param maxLostAlone attempts lost while they read alone, after which the package is given up
 * @throws LostTooOften
 */
export async function limitLostAttempts<T>(
  maxLostAlone: number,
  work: (attempt: LimitedAttempt) => Promise<T>,
): Promise<T> {
  const { lostAlone, lost } = traceOf(Context.current().info.heartbeatDetails);
  return heartbeating(async (report) => {
    let details: Trace = { lostAlone, lost, isShared: true };
    const say = (more: object) => {
      details = { ...details, ...more };
      report(details);
    };
    try {
      if (lostAlone >= maxLostAlone) throw new LostTooOften(lost);
      report(details);
      return await work({
        showProgress: say,
        suspicious: lost >= SUSPICIOUS,
        async beginAlone() {
          say({ isShared: false });
          await sleep(SETTLED_MS);
        },
        madeProgress: () => say({ lostAlone: 0 }),
      });
    } finally {
      say({ over: true });
    }
  });
}

/** @param last last heartbeat of the previous attempt; undefined for the first attempt */
function traceOf(last: Partial<Trace> | undefined): Pick<Trace, 'lostAlone' | 'lost'> {
  const { lostAlone = 0, lost = 0, isShared = false, over } = last ?? { over: true };
  if (over) return { lostAlone, lost };
  return { lostAlone: isShared ? lostAlone : lostAlone + 1, lost: lost + 1 };
}
