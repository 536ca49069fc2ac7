/** After the faults: waits until every import ends, repeats every request, applies retention and collects the facts. */
import { utimes } from 'node:fs/promises';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { filesBelow } from '../support/files-below.ts';
import type { CheckResult } from '../support/proof.ts';
import type { World } from '../support/starters/world.ts';
import { checkAll } from './checks.ts';
import { type Clients, type LoadOptions, type SentUpload, sendAll } from './clients.ts';
import type { Counted, Facts, Observer } from './facts.ts';

export interface Aftermath {
  world: World;
  observer: Observer;
  clients: Clients;
  load: LoadOptions;
  patienceMs: number;
  waitForGateways: boolean;
  say(line: string): void;
}

/** Imports without faults: their counters are compared with rows. */
const CALM_IMPORTS = 2;
const RETENTION = 'package-import-retention';
const EIGHT_DAYS_MS = 8 * 24 * 60 * 60_000;
/** Idle timeout, three minutes for syncing, and the minute between two checks. */
const LEFTOVERS_MS = 7 * 60_000;

export async function settle(
  aftermath: Aftermath,
  disturbed: readonly SentUpload[],
): Promise<{ checks: CheckResult[]; facts: Facts }> {
  const { world, observer, clients, say, patienceMs, waitForGateways } = aftermath;
  say('The trouble is over. Waiting for the imports to end …');
  await untilQuiet(observer, patienceMs);
  for (const { upload, sent } of disturbed) await clients.repeat(upload, sent).catch(() => {});
  say('Comparing counters with rows over imports that nothing disturbs …');
  const { uploads: calm, counted } = await countCalmly(aftermath, disturbed.length);
  const half = async () => (await observer.observe()).halves.length > 0;
  if (waitForGateways && (await half())) {
    say('Waiting for the gateways to remove half files …');
    await eventually(async () => !(await half()), LEFTOVERS_MS).catch(() => {});
  }
  say('Retention, as if two days had passed …');
  await applyRetention(world, observer, waitForGateways);
  const uploads = [...disturbed, ...calm].map(({ upload }) => upload);
  const look = async () => {
    const facts: Facts = {
      ...(await observer.observe()),
      uploads,
      counted,
      badTokens: clients.counts.badTokens,
    };
    return { facts, checks: checkAll(facts) };
  };
  // Late data arrive during the wait; lost or doubled data stay so.
  await eventually(
    async () => (await look()).checks.every(({ findings }) => findings.length === 0),
    patienceMs,
  ).catch(() => {});
  return look();
}

/** Waits until every import has ended and its mail is sent. Later checks report the others. */
async function untilQuiet({ sql }: Observer, patienceMs: number): Promise<void> {
  const open = `select 1 from zip_import i left join notification n on n.zip_import_id = i.id
    where i.completed_at is null and i.status <> 'failed' or n.status not in ('sent') and i.status <> 'failed' limit 1`;
  await eventually(async () => (await sql(open)).length === 0, patienceMs).catch(() => {});
}

async function countCalmly(
  { world, observer, clients, load, patienceMs }: Aftermath,
  first: number,
): Promise<{ uploads: SentUpload[]; counted: Counted[] }> {
  const before = await readCounters(world);
  const calm = { ...load, imports: CALM_IMPORTS, progress: () => 1 };
  const uploads = await sendAll(clients, calm, first);
  await untilQuiet(observer, patienceMs);
  for (const { upload, sent } of uploads) await clients.repeat(upload, sent);
  const ids = uploads.map(({ upload }) => upload.answer?.id ?? 0).join(', ');
  const count = async (from: string) => {
    const [row] = await observer.sql<{ n: number }>(
      `select count(*)::int as n from ${from} where zip_import_id in (${ids})`,
    );
    return row?.n ?? 0;
  };
  const rows = countsOf({
    imports: uploads.length,
    products: await count('submission'),
    queued: await count('queue_result'),
    mails: await count('notification'),
  });
  return { uploads, counted: countedBetween(before, await readCounters(world), rows) };
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

/** A counter by its name, and by its label where it has one. */
const COUNTERS = {
  gateways: [
    'package_import_imports_total{outcome="complete"}',
    'package_import_products_total{outcome="created"}',
    'package_import_queue_results_total{result="queued"}',
  ],
  workers: ['package_import_mails_total{outcome="sent"}'],
} as const;

type Counter = (typeof COUNTERS)[keyof typeof COUNTERS][number];
export type Counts = Record<Counter, number>;

/** Sums over all processes of the kind, now. */
async function readCounters({ metricsUrls }: World): Promise<Counts> {
  const counts = {} as Counts;
  for (const kind of ['gateways', 'workers'] as const) {
    const pages = await Promise.all(
      metricsUrls[kind].map(async (url) => (await fetch(`${url}/metrics`)).text()),
    );
    for (const name of COUNTERS[kind])
      counts[name] = pages.reduce((sum, page) => sum + figureOf(page, name), 0);
  }
  return counts;
}

/** 0 when nothing was counted under the name yet. */
function figureOf(page: string, name: string): number {
  const line = page.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}

/** @param rows counts of the records, by the same names */
function countedBetween(before: Counts, after: Counts, rows: Counts): Counted[] {
  return (Object.keys(rows) as Counter[]).map((name) => ({
    name,
    counted: after[name] - before[name],
    rows: rows[name],
  }));
}

export function countsOf(values: {
  imports: number;
  products: number;
  queued: number;
  mails: number;
}): Counts {
  return {
    'package_import_imports_total{outcome="complete"}': values.imports,
    'package_import_products_total{outcome="created"}': values.products,
    'package_import_queue_results_total{result="queued"}': values.queued,
    'package_import_mails_total{outcome="sent"}': values.mails,
  };
}
