/** What can be asked of a package import as a whole, as `actions` names it. */
import { CANCEL_ACTION, type ImportAction, type ImportStatus, INSERT_PROCESS } from '../contract/statuses.ts';
import type { StatusCounts } from './submission.ts';

/**
 * What the import offers now. `regulator-insert` is there while anything of it has failed or was not queued; whether a
 * newer submission of the same product speaks against running it shows when it is run.
 */
export function importActionsOf(record: {
  status: ImportStatus;
  /** Somebody has asked for its cancellation. */
  cancelRequested: boolean;
  progress: StatusCounts;
}): ImportAction[] {
  const { status, cancelRequested, progress } = record;
  const isOpen = status === 'extracting' || status === 'inserting';
  const endsSoon = isOpen && cancelRequested;
  const isQueued = status !== 'extracting' && status !== 'failed';
  const left = progress.local + progress.regulator_insert_failed;
  return [
    ...(isOpen && !cancelRequested ? [CANCEL_ACTION] : []),
    ...(isQueued && !endsSoon && left > 0 ? [INSERT_PROCESS] : []),
  ] as ImportAction[];
}
