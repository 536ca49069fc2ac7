/**
 * Sends one mail per client about its imports of the previous day, every morning by a schedule
 * (decision §mails).
 */
import { setCurrentDetails } from '@temporalio/workflow';
import type { DigestResult } from '../activities/index.ts';
import { digests } from './activity-proxies.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export async function mailDigests(): Promise<DigestResult> {
  const day = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
  const result = await digests.sendDigests({ day });
  setCurrentDetails(`Of ${day}: ${result.sent} sent, ${result.refused} refused by the mail server.`);
  return result;
}
