/** The actions that a package import offers, as in its `actions`. */
import { CANCEL_ACTION, type ImportAction, type ImportStatus, INSERT_PROCESS } from '../contract/statuses.ts';
import type { StatusCounts } from './submission.ts';

/**
 * The actions that the import offers now. `regulator-insert` is present while any part of it has failed or was not
 * queued. The run itself checks for a newer submission of the same product.
 */
export function importActionsOf(record: {
  status: ImportStatus;
  /** A cancellation was requested. */
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
