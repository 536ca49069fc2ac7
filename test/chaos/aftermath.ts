/** After the faults: waits until every import ends, repeats every request, applies retention and collects the facts. */
import { utimes } from 'node:fs/promises';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { filesBelow } from '../support/files-below.ts';
import type { CheckResult } from '../support/proof.ts';
import type { World } from '../support/starters/world.ts';
import { checkAll } from './checks.ts';
import type { Clients, SentUpload } from './clients.ts';
import type { Facts, Observer } from './facts.ts';

export interface Aftermath {
  world: World;
  observer: Observer;
  clients: Clients;
  maxWaitMs: number;
  waitForGateways: boolean;
  say(line: string): void;
}

const RETENTION = 'package-import-retention';
const EIGHT_DAYS_MS = 8 * 24 * 60 * 60_000;
/** Idle timeout, three minutes for syncing, and the minute between two checks. */
const LEFTOVERS_MS = 7 * 60_000;

export async function settle(
  aftermath: Aftermath,
  disturbed: readonly SentUpload[],
): Promise<{ checks: CheckResult[]; facts: Facts }> {
  const { world, observer, clients, say, maxWaitMs, waitForGateways } = aftermath;
  say('The trouble is over. Waiting for the imports to end …');
  await untilQuiet(observer, maxWaitMs);
  for (const { upload, sent } of disturbed) await clients.repeat(upload, sent).catch(() => {});
  const half = async () => (await observer.observe()).halves.length > 0;
  if (waitForGateways && (await half())) {
    say('Waiting for the gateways to remove half files …');
    await eventually(async () => !(await half()), LEFTOVERS_MS).catch(() => {});
  }
  say('Retention, as if two days had passed …');
  await applyRetention(world, observer, waitForGateways);
  const uploads = disturbed.map(({ upload }) => upload);
  const look = async () => {
    const facts: Facts = { ...(await observer.observe()), uploads };
    return { facts, checks: checkAll(facts) };
  };
  // Late data arrive during the wait; lost or doubled data stay so.
  await eventually(
    async () => (await look()).checks.every(({ findings }) => findings.length === 0),
    maxWaitMs,
  ).catch(() => {});
  return look();
}

/** Waits until every import has ended and its mail is sent. Later checks report the others. */
async function untilQuiet({ sql }: Observer, maxWaitMs: number): Promise<void> {
  const open = `select 1 from zip_import i left join notification n on n.zip_import_id = i.id
    where i.completed_at is null and i.status <> 'failed' or n.status not in ('sent') and i.status <> 'failed' limit 1`;
  await eventually(async () => (await sql(open)).length === 0, maxWaitMs).catch(() => {});
}

/** Retention removes orphans of crashes after a week at the latest (decision §retention): this dates the files back. */
async function applyRetention(
  { archiveDirectory }: World,
  { temporal }: Observer,
  onlyWhole: boolean,
): Promise<void> {
  const longAgo = new Date(Date.now() - EIGHT_DAYS_MS);
  for (const path of await filesBelow(archiveDirectory))
    if (!(onlyWhole && path.includes('/.incoming/'))) await utimes(path, longAgo, longAgo).catch(() => {});
  const query = `WorkflowType = '${WORKFLOW_TYPES.retention}' and ExecutionStatus = 'Completed'`;
  const ended = async () => (await temporal.workflow.count(query)).count;
  const before = await ended();
  await temporal.schedule.getHandle(RETENTION).trigger();
  await eventually(async () => (await ended()) > before);
}
