/** Waits for an import and reports its progress. Asks again in an outage. */
import { messageOf } from '../src/common/text.ts';
import type { ImportReport, ImportSummary } from '../src/contract/types.ts';
import { ApiError, isTemporary } from './client/errors.ts';
import { followImport } from './client/follow-import.ts';
import type { Context } from './context.ts';
import { inCommands } from './failure.ts';
import { Hinted } from './outcome.ts';
import { insertProgressOf } from './summary-text.ts';

/** After this time without progress the import may be blocked. */
const STUCK_MS = 30_000;

/**
 * @throws Hinted with advice on how to resume the wait: the import continues when the wait ends
 */
export async function waitForImport(context: Context, id: number): Promise<ImportReport> {
  const { client, progress } = context;
  const watchSession = sessionWatch(context);
  try {
    return await followImport(client, id, {
      onSummary(summary) {
        const inserts = insertProgressOf(summary);
        if (inserts.total > 0) progress.importing(inserts);
        watchSession(summary);
      },
    });
  } catch (error) {
    throw new Hinted(error, `Import ${id} continues. Wait for it with: package-import status ${id} --wait`, {
      id,
    });
  } finally {
    progress.end();
  }
}

/** Reports an ended regulator session, for which inserts wait. The import's summary does not show it. */
function sessionWatch({ client, progress }: Context): (summary: ImportSummary) => void {
  let moved = { at: performance.now(), state: '' };
  let asked = false;
  return (summary) => {
    const now = performance.now();
    const state = JSON.stringify([summary.status, summary.progress]);
    if (state !== moved.state) {
      moved = { at: now, state };
      asked = false;
    } else if (!asked && now - moved.at > STUCK_MS) {
      asked = true;
      sessionTrouble(client).then(
        (trouble) => trouble && progress.note(trouble),
        (error) => progress.note(`The regulator session could not be read: ${messageOf(error)}`),
      );
    }
  };
}

/** Null if the session is active, or if this client may not read it. */
async function sessionTrouble(client: Context['client']): Promise<string | null> {
  try {
    const { data } = await client.call('getRegulatorSession');
    if (data.status === 'active') return null;
    return `Inserts wait. ${inCommands(data.regulator_session_message)}`;
  } catch (error) {
    if (error instanceof ApiError || isTemporary(error) || client.signal?.aborted) return null;
    throw error;
  }
}
