/** `docs/scale.md`: what a million and ten million products a day ask for. Its numbers are computed here, from the newest counts. */
import { loadConfig } from '../../src/config/index.ts';
import type { Cost } from '../cost-figures.ts';
import { productsOfSuchADay } from './arrivals.ts';
import { rowsOf, shortNumber } from './rows.ts';
import { ASSUMPTIONS, DEMAND, REGULATOR_CALLS, scaleOf } from './scale.ts';

const MILLION = 1_000_000;
/** Products in an hour that arrive as fast as those of a tenth of a million in a day. */
const HOUR_OF_A_TENTH = 4_167;
/** As the service comes. */
const DEFAULT_SLOTS = loadConfig({}).regulator.concurrency;

/**
 * @param commit of the service whose counts these are
 * @param againstActivities how many of the transitions an insert takes whose steps are all activities: the bench's floor
 */
export function scalePage({
  commit,
  cost,
  againstActivities,
}: {
  commit: string;
  cost: Cost;
  againstActivities: number;
}): string {
  const demands = [MILLION, 10 * MILLION].map((productsPerDay) => ({ ...DEMAND, productsPerDay }));
  const scales = demands.map((demand) => scaleOf(cost, demand, ASSUMPTIONS));
  const [million, tenMillion] = scales;
  if (!million || !tenMillion) throw new Error('two sizes');
  const columns = demands.map((demand, index) => rowsOf(scales[index] ?? million, demand, ASSUMPTIONS));
  const rows = (columns[0] ?? []).map(
    ([what, value], row) => `| ${what} | ${value} | ${columns[1]?.[row]?.[1]} |`,
  );
  const insertsPerDay = (DEFAULT_SLOTS * 1000 * 86_400) / (ASSUMPTIONS.regulatorCallMs * REGULATOR_CALLS);

  return `# A million and ten million products a day

On paper: nothing here has been run at that size. Counts per product are measured (\`npm run bench -- cost\`, commit ${commit}:
${shortNumber(cost.insertTransitions + cost.importTransitions)} state transitions, ${shortNumber(cost.transactions)} transactions, ${shortNumber(cost.databaseBytes / 1000)} KB in the database, without attachments); \`npm run prove -- simulate\` multiplies them. What
says *assumption* is measured nowhere. The page is written by \`npm test -- test/documentation/scale.test.ts -u\`.

| | 1 M a day | 10 M a day |
|---|---|---|
${rows.join('\n')}

All of a day arrives within ${DEMAND.busyHours} hours. What breaks first, in this order:

1. **The regulator.** ${REGULATOR_CALLS} calls a product: one opens the case, one puts each section; attachments come on top. With
   ${DEFAULT_SLOTS} calls under way (the default of \`REGULATOR_CONCURRENCY\`), each of ${ASSUMPTIONS.regulatorCallMs} ms, at most ${shortNumber(insertsPerDay / MILLION)} million products a day get through, day and night. More
   is the regulator's to allow; nothing on our side replaces it. Slower than a second a step, an insert goes on in activities:
   ${shortNumber(againstActivities)} times the transitions, and shards for that.
2. **Records that are kept for ever.** Retention removes packages and raw XML; records stay, and one table of them grows beyond what can
   be vacuumed, backed up and restored in a night.

## Temporal

- *Shards* are chosen once: ${million.shards} and ${tenMillion.shards}, at ${ASSUMPTIONS.transitionsPerShardSecond} transitions a second each in the busy hours (assumption). Too many cost little: take the
  larger number from the start.
- *Persistence.* At 1 M a day PostgreSQL on a server of its own; ${shortNumber(tenMillion.transitionsPerSecond.busy)} transitions a second, each of several writes, ask for Cassandra or for
  Temporal Cloud. Visibility has ${shortNumber(million.listedRuns / MILLION)} and ${shortNumber(tenMillion.listedRuns / MILLION)} million ended inserts: from there on Elasticsearch or OpenSearch, or fewer days.
- *Task queues.* Turns between clients are kept within a partition, so each queue has one to write to
  ([runbook](../deploy/runbook.md#the-temporal-server)). ${shortNumber(tenMillion.productsPerSecond.busy)} inserts a second through one partition have not been tried; several partitions are the
  way out, and turns are nearly right then.
- *Reconciler.* It lists every insert that runs. With a million waiting for a regulator that is away, that is 1,000 pages, twice a minute:
  to be asked about what is old only.

## PostgreSQL

- *Load.* ${shortNumber(million.transactionsPerSecond.busy)} and ${shortNumber(tenMillion.transactionsPerSecond.busy)} transactions a second: a matter of the disk's flushes, one server. Connections are ten a process; all
  locks are of transactions, so a pooler in transaction mode should do (not tried).
- *Partitions by month* of \`zip_import\`, \`submission\`, \`queue_result\`, \`submission_attachment\` and \`zip_import_file\`, by ranges of the
  import's id that begin with a month: every unique key and foreign key of theirs has the import's id, or can get it, so that they stay keys
  of partitioned tables; the time of upload is in none of them. \`audit_event\` by its own time. ${shortNumber(million.databaseGigabytesPerMonth)} GB and ${shortNumber(tenMillion.databaseGigabytesPerMonth / 1000)} TB a partition.
- *Retention by dropping* a partition after ${DEMAND.recordMonths} months, children first, in place of deletions that leave holes. Two things must outlive it: what was
  inserted last of each product, by which unchanged ones are skipped and newer ones win (a table of one row a product), and
  attachments that newer products refer to.
- *Replicas* may answer lists, tables, statistics and reports of imports that have ended. Never answers to uploads, statuses, sessions,
  quotas and slots. Today there is one \`DATABASE_URL\`.

## Storage

The archive is a bucket: ${shortNumber(million.archiveGigabytes)} GB and ${shortNumber(tenMillion.archiveGigabytes / 1000)} TB without attachments; the bench's packages with attachments are five times as large. Keys begin with the
month of the upload. A directory on one machine ends at its disk, and has no second reader elsewhere.

## Cost

Of what is listed above, without machines, people and traffic: $ ${shortNumber(million.dollarsPerMonth.actions + million.dollarsPerMonth.storage + million.dollarsPerMonth.database + million.dollarsPerMonth.archive)} and $ ${shortNumber(tenMillion.dollarsPerMonth.actions + tenMillion.dollarsPerMonth.storage + tenMillion.dollarsPerMonth.database + tenMillion.dollarsPerMonth.archive)} a month with hosted
Temporal. Prices are assumptions, public list prices of no day in particular: \`npm run prove -- simulate --help\` takes others. Machines cannot be computed: times are not kept,
because they are the machine's. Measure products a second on yours (\`npm run bench -- speed\`), and divide.

## Before anybody believes this

Run \`npm run prove -- simulate --replay 60 --replay-products ${HOUR_OF_A_TENTH}\` against an installation of your own: for an hour packages arrive as
fast as in a day of ${shortNumber(productsOfSuchADay(HOUR_OF_A_TENTH, 3_600_000))} products, a tenth of the smaller size. Look at the backlog of the
queues, at p95 of the database's commits, and at what the regulator says to the number of calls.
`;
}
