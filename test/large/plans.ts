/**
 * `npm run prove -- plans --rows 10000000`: times and plans of the service's queries, over many rows. It starts a PostgreSQL of
 * its own and removes it afterwards, or uses an empty database of yours (`--database-url`, as superuser). Ten million rows take
 * 17 GB.
 *
 * Exits with 1 when something that people open, or that the service asks all the time, takes longer than 200 ms in a twentieth of
 * the tries.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrate } from '../../src/database/migrations.ts';
import { connect } from '../../src/database/orm.ts';
import { startPostgres } from '../../src/trial-parts/servers/postgres.ts';
import { freePorts } from '../support/free-ports.ts';
import { table } from '../support/proof.ts';
import { temporaryRoot } from '../support/temporary.ts';
import { watchPlans } from './executed-plans.ts';
import { hotLookUps, nightly, overviews } from './look-ups.ts';
import { type MadeUp, makeUpRows } from './made-up-rows.ts';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '300000' }, 'database-url': { type: 'string' } },
});
/** Texts in a plan. A parameter may have hundreds of values. */
const TEXT = /'(?:[^']|'')*'/g;
const LONGEST_TEXT = 100;
/** Tries of each look-up. */
const TRIES = 20;
/** The bound of p95. */
const LONGEST_MS = 200;
const say = (text: string) => process.stdout.write(`${text}\n`);
const since = (begun: number) => `${Math.round((performance.now() - begun) / 100) / 10} s`;

const given = values['database-url'];
if (given === undefined) await inOwnServer(showPlans);
else await showPlans(given);

async function showPlans(url: string): Promise<void> {
  await migrate(url);
  const made = performance.now();
  const madeUp = await filled(url);
  say(`${madeUp.submissions} submissions of ${madeUp.imports} imports made in ${since(made)}`);
  await showTimes(url, madeUp);
  const { orm, plansOf } = await watchPlans(url);
  try {
    const all = { ...hotLookUps(orm, madeUp), ...overviews(orm, madeUp), ...nightly(orm) };
    for (const [name, look] of Object.entries(all)) {
      const plans = await plansOf(look);
      say(`\n## ${name}`);
      for (const plan of plans)
        say(plan.replace(TEXT, (text) => (text.length > LONGEST_TEXT ? "'…'" : text)).replace(/^/gm, '  '));
    }
  } finally {
    await orm.close(true);
  }
}

async function showTimes(url: string, madeUp: MadeUp): Promise<void> {
  const orm = await connect(url);
  try {
    const rows: [string, string][] = [];
    for (const [name, look] of Object.entries({ ...hotLookUps(orm, madeUp), ...overviews(orm, madeUp) })) {
      const times: number[] = [];
      for (let n = 0; n < TRIES; n += 1) times.push(await timeOf(look));
      // The first time shows what the disk does.
      const [first = 0] = times;
      times.sort((a, b) => a - b);
      const p95 = times[Math.floor(0.95 * TRIES) - 1] ?? 0;
      if (p95 > LONGEST_MS) process.exitCode = 1;
      rows.push([name, `${rounded(first)}, ${rounded(p95)}${p95 > LONGEST_MS ? ' ✗' : ''}`]);
    }
    say(table([['what the service asks, and people open', 'ms: first, p95'], ...rows]));
    const night: [string, string][] = [];
    for (const [name, work] of Object.entries(nightly(orm)))
      night.push([name, `${rounded(await timeOf(work))}`]);
    say(table([['what runs at night', 'ms'], ...night]));
  } finally {
    await orm.close(true);
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}

async function filled(url: string): Promise<MadeUp> {
  const orm = await connect(url);
  try {
    return await makeUpRows(orm, Number(values.rows));
  } finally {
    await orm.close(true);
  }
}

async function inOwnServer(work: (url: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(temporaryRoot(), 'package-import-plans-'));
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
  try {
    const server = await startPostgres({
      directory: join(directory, 'postgres'),
      host: '127.0.0.1',
      port,
      user,
      password,
      databases: ['plans'],
      flags: flags.flatMap((flag) => ['-c', flag]),
    });
    try {
      await work(`postgresql://${user}:${password}@127.0.0.1:${port}/plans`);
    } finally {
      await server.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
