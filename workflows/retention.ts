/** Runs retention (`activities/retention.ts`), every night by a schedule. */
import { setCurrentDetails } from '@temporalio/workflow';
import type { RetentionResult } from '../activities/index.ts';
import { housekeeping } from './activity-proxies.ts';

export async function retention(): Promise<RetentionResult> {
  const result = await housekeeping.applyRetention();
  const { packages, attachments, orphans, checks, leftovers } = result;
  setCurrentDetails(
    `Removed ${packages} packages with their raw XML, ${attachments} attachments, ${orphans} packages without an import, ${checks} results of checks, ${leftovers} pieces of files.`,
  );
  return result;
}
