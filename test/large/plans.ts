/**
 * `npm run prove -- plans --rows 10000000`: times and plans of the service's queries over many rows, of its screens over HTTP, and
 * of VACUUM after a day of a million products. It starts a PostgreSQL of its own and removes it afterwards, or uses an
 * empty database of yours (`--database-url`, as superuser). Ten million rows take 17 GB.
 *
 * Exits with 1 when something that people open, or that the service asks all the time, takes longer than 200 ms in a
 * twentieth of the attempts.
 */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrate } from '../../src/database/migrations.ts';
import { connect, type Orm } from '../../src/database/orm.ts';
import { startPostgres } from '../../src/trial-parts/servers/postgres.ts';
import { atEnd, inScope } from '../support/cleanup.ts';
import { freePorts } from '../support/free-ports.ts';
import { table } from '../support/proof.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { writeADay } from './a-day.ts';
import { watchPlans } from './executed-plans.ts';
import { hotLookUps, nightly } from './look-ups.ts';
import { type MadeUp, makeUpRows } from './made-up-rows.ts';
import { screens } from './screens.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '300000' },
    /** Products of the day before VACUUM: a smaller number tries the proof. */
    day: { type: 'string', default: '1000000' },
    'database-url': { type: 'string' },
  },
});
/** Texts in a plan. A parameter may have hundreds of values. */
const TEXT = /'(?:[^']|'')*'/g;
const LONGEST_TEXT = 100;
/** Attempts of each query and request. */
const ATTEMPTS = 20;
/** The bound of p95. */
const LONGEST_MS = 200;
const rounded = (ms: number) => Math.round(ms * 10) / 10;
const secondsSince = (begun: number) => rounded((performance.now() - begun) / 1_000);
const say = (text: string) => process.stdout.write(`${text}\n`);

type Named = Readonly<Record<string, () => Promise<unknown>>>;

const given = values['database-url'];
if (given === undefined) await inScope(() => inOwnServer(showAll));
else await showAll(given);

async function showAll(url: string): Promise<void> {
  await migrate(url);
  const madeUp = await inScope(() => showAllTimes(url));
  await inScope(() => showPlans(url, madeUp));
}

async function showAllTimes(url: string): Promise<MadeUp> {
  const orm = await connect(url, { queryMs: null });
  atEnd(() => orm.close(true));
  const made = performance.now();
  const madeUp = await makeUpRows(orm, Number(values.rows));
  say(`${madeUp.submissions} submissions of ${madeUp.imports} imports made in ${secondsSince(made)} s`);
  await showTimes('what the service asks', hotLookUps(orm, madeUp));
  await showTimes('what people open, over HTTP', await screens(orm, madeUp));
  await showOnce('what runs at night', nightly(orm));
  await showVacuum(orm, Number(values.day));
  await showTimes('what people open, after that day', await screens(orm, madeUp));
  return madeUp;
}

/** Fails the proof when a twentieth of the attempts takes longer than the bound. */
async function showTimes(title: string, work: Named): Promise<void> {
  const rows: [string, string][] = [];
  for (const [name, look] of Object.entries(work)) {
    const times: number[] = [];
    for (let n = 0; n < ATTEMPTS; n += 1) times.push(await timeOf(look));
    // The first time shows what the disk does.
    const [first = 0] = times;
    times.sort((a, b) => a - b);
    const p95 = times[Math.floor(0.95 * ATTEMPTS) - 1] ?? 0;
    if (p95 > LONGEST_MS) process.exitCode = 1;
    rows.push([name, `${rounded(first)}, ${rounded(p95)}${p95 > LONGEST_MS ? ' ✗' : ''}`]);
  }
  say(table([[title, 'ms: first, p95'], ...rows]));
}

async function showOnce(title: string, work: Named): Promise<void> {
  const rows: [string, string][] = [];
  for (const [name, once] of Object.entries(work)) rows.push([name, `${rounded(await timeOf(once))}`]);
  say(table([[title, 'ms'], ...rows]));
}

async function showVacuum(orm: Orm, products: number): Promise<void> {
  const begun = performance.now();
  await writeADay(orm, products);
  say(`${products} more products written in ${secondsSince(begun)} s`);
  const tables = ['zip_import', 'submission', 'queue_result', 'audit_event'];
  const vacuums = tables.map(
    (name) => [name, () => orm.em.fork().execute(`vacuum analyze ${name}`)] as const,
  );
  await showOnce('vacuum after that day', Object.fromEntries(vacuums));
}

async function showPlans(url: string, madeUp: MadeUp): Promise<void> {
  const { orm, plansOf } = await watchPlans(url);
  atEnd(() => orm.close(true));
  const all: Named = { ...hotLookUps(orm, madeUp), ...(await screens(orm, madeUp)), ...nightly(orm) };
  for (const [name, look] of Object.entries(all)) {
    const plans = await plansOf(look);
    say(`\n## ${name}`);
    for (const plan of plans)
      say(plan.replace(TEXT, (text) => (text.length > LONGEST_TEXT ? "'…'" : text)).replace(/^/gm, '  '));
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Runs the work in a PostgreSQL of its own, which is removed at the end. */
async function inOwnServer(work: (url: string) => Promise<void>): Promise<void> {
  const directory = await temporaryDirectory();
  await chmod(directory, 0o755); // PostgreSQL, as another user, has to get in.
  const [port = 0] = await freePorts(1);
  const [user, password] = ['package_import', 'package_import'];
  const flags = [
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'max_wal_size=8GB',
    'shared_buffers=2GB',
    'maintenance_work_mem=512MB',
  ];
  const server = await startPostgres({
    directory: join(directory, 'postgres'),
    host: '127.0.0.1',
    port,
    user,
    password,
    databases: ['plans'],
    flags: flags.flatMap((flag) => ['-c', flag]),
  });
  atEnd(server.stop);
  await work(`postgresql://${user}:${password}@127.0.0.1:${port}/plans`);
}
