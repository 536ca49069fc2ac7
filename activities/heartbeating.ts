import { Context } from '@temporalio/activity';

/** Also on a busy machine several come within the heartbeat timeout (workflows/activity-proxies.ts). */
const INTERVAL_MS = 2_000;

/**
 * Runs something that may take longer than the heartbeat timeout without being dead.
 *
 * @param work gets a function that changes what the heartbeats say, from now on
 */
export async function heartbeating<T>(work: (report: (details: unknown) => void) => Promise<T>): Promise<T> {
  const context = Context.current();
  let details: unknown;
  const timer = setInterval(() => context.heartbeat(details), INTERVAL_MS);
  try {
    return await work((changed) => {
      details = changed;
      context.heartbeat(details);
    });
  } finally {
    clearInterval(timer);
  }
}
