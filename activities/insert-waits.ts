/** Waits of an insert: for answers to uploads, for the end of a pause, and for a session with the regulator. */
import { Context, type Info } from '@temporalio/activity';
import type { Database } from '../src/database/index.ts';
import type { UnansweredImports } from '../src/database/repositories/insert-waits.ts';
import { DomainError } from '../src/domain/errors.ts';
import { pauseMessage } from '../src/domain/regulator.ts';
import type { InsertDependencies } from './dependencies.ts';

/** Longest wait for the answer. The inserts of a large import begin before it. */
const LONGEST_WAIT_MS = 15_000;
/** Longest wait while inserts of other imports run: they need the places of the worker. */
const WAIT_BEFORE_OTHERS_MS = 3_000;
const ANSWER_POLL_MS = 50;

/**
 * Waits until the import of a submission is queued, or until the longest wait is over. Otherwise the first inserts take
 * time from the server that starts the others (decision §waits-of-inserts).
 */
export async function answerFirst(
  { unansweredImports }: Pick<Database, 'unansweredImports'>,
  submissionId: number,
): Promise<void> {
  if ((await unansweredImports.cached()).ids.size === 0) return;
  const importId = await unansweredImports.importOf(submissionId);
  if (importId === null) return;
  await waitForAnswers(unansweredImports, ({ ids, othersInsert }) => {
    if (!ids.has(importId)) return 0;
    return othersInsert ? WAIT_BEFORE_OTHERS_MS : LONGEST_WAIT_MS;
  });
}

/** @param longestOf longest wait while these imports have no answer, in milliseconds; 0 to wait no longer */
async function waitForAnswers(
  unansweredImports: Database['unansweredImports'],
  longestOf: (unanswered: UnansweredImports) => number,
): Promise<void> {
  const begun = performance.now();
  while (performance.now() - begun < longestOf(await unansweredImports.cached()))
    await Context.current().sleep(ANSWER_POLL_MS);
}

/**
 * Longest wait of one attempt for a session or the end of a pause. The next attempt then repeats the reason in the Web
 * UI.
 */
const WAIT_MS = 60_000;
const POLL_MS = 1_000;

/** An operator has paused all inserting. The message says when and why. */
class InsertingPaused extends DomainError {
  readonly permanent = false;
  /** The next attempt waits for the end of the pause, so it may start at once. */
  override readonly retryAfterSeconds = 1;
}

/**
 * Waits for the end of a pause and for a regulator session. The first attempt does not wait, so that the Web UI shows
 * the reason. Later attempts wait up to a minute. They continue within a second of the end of the pause or of the
 * login, after the answers to uploads. Returns after a minute without a session: the call itself then fails with the
 * state of the session.
 *
 * @param report gets the reason of the wait
 * @throws InsertingPaused
 */
export async function waitToInsert(
  { database, sessions }: Pick<InsertDependencies, 'database' | 'sessions'>,
  report: (reason: string) => void,
): Promise<void> {
  const { info } = Context.current();
  const deadline = Date.now() + (info.isLocal || info.attempt === 1 ? 0 : WAIT_MS);
  for (;;) {
    const pause = await database.insertingPause.cached();
    const reason = pause === null ? await missingSession(sessions, info.attempt) : pauseMessage(pause);
    if (reason === null) break;
    if (Date.now() >= deadline) {
      if (pause !== null) throw new InsertingPaused(reason);
      break;
    }
    report(reason);
    await Context.current().sleep(POLL_MS);
  }
  // A client waits for the answer to its upload; an insert that resumes has waited before.
  if (resumes(info))
    await waitForAnswers(database.unansweredImports, ({ ids }) =>
      ids.size === 0 ? 0 : WAIT_BEFORE_OTHERS_MS,
    );
}

/** A task that waits longer for a worker waits behind many others. */
const BACKLOG_MS = 1_000;

/**
 * Whether this attempt is one of many that resume at the same time (decision §waits-of-inserts). A clock that differs
 * from the server's only makes a slow step wait for the answers, too.
 */
function resumes({ isLocal, attempt, currentAttemptScheduledTimestampMs }: Info): boolean {
  if (isLocal) return false;
  return attempt > 1 || Date.now() - currentAttemptScheduledTimestampMs > BACKLOG_MS;
}

/** The first attempt skips this check: its call to the regulator gives a better answer. */
async function missingSession(
  sessions: InsertDependencies['sessions'],
  attempt: number,
): Promise<string | null> {
  if (attempt === 1) return null;
  const { status } = await sessions.state();
  return status === 'active' ? null : `Waiting for a regulator session (${status})`;
}
