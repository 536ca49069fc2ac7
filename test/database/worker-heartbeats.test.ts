/** Heartbeats of worker processes: here three processes on one database. */
import { afterEach, expect, it } from 'vitest';
import type { WorkerRole } from '../../src/domain/task-queues.ts';
import { openAgain, openTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { runSql } from '../support/servers.ts';

const { database: gateway, url } = await openTestDatabase();
const [one, other] = await Promise.all([openAgain(url), openAgain(url)]);

const stops: (() => void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  await runSql(url, 'delete from worker_heartbeat');
});

async function start(database: typeof one, ...roles: WorkerRole[]): Promise<() => void> {
  const stop = await database.workerHeartbeats.start(roles);
  stops.push(stop);
  return stop;
}

/** Waits until the cached count of a role is this one. */
const counted = (role: WorkerRole, count: number) =>
  eventually(async () => (await gateway.workerHeartbeats.count())[role] === count);

/** Makes every heartbeat as old as that of a process that was killed so long ago. */
const age = (seconds: number) =>
  runSql(url, `update worker_heartbeat set seen_at = seen_at - interval '${seconds} seconds'`);

const rows = () => runSql<{ role: string }>(url, 'select role from worker_heartbeat order by role');

it('count the processes of each role, from the first heartbeat', async () => {
  await start(one, 'package-import', 'package-reading');
  await start(other, 'package-reading');
  expect(await gateway.workerHeartbeats.count()).toEqual({
    'package-import': 1,
    'package-reading': 2,
    'regulator-insert': 0,
  });
});

it('end ten seconds after the last one, and are renewed by a running process', async () => {
  await start(one, 'package-import');
  const stop = await start(other, 'package-reading');
  await Promise.all([counted('package-import', 1), counted('package-reading', 1)]);
  stop();
  await age(11);
  await counted('package-reading', 0);
  await counted('package-import', 1);
});

it('leave no row behind for long: the next process removes those of ended ones', async () => {
  for (let times = 0; times < 3; times += 1) (await start(one, 'package-import', 'regulator-insert'))();
  expect(await rows()).toHaveLength(6);
  await age(11);
  await start(other, 'package-reading');
  expect(await rows()).toEqual([{ role: 'package-reading' }]);
});

it('survive a heartbeat that fails', async () => {
  await start(one, 'package-import');
  await runSql(url, 'alter table worker_heartbeat rename to hidden');
  await eventually(async () => (await gateway.workerHeartbeats.count().catch(() => null)) === null);
  await runSql(url, `update hidden set seen_at = seen_at - interval '1 minute'`);
  await runSql(url, 'alter table hidden rename to worker_heartbeat');
  await counted('package-import', 1);
});
