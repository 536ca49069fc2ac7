/**
 * Executes every command of `deploy/backup.md`: backups run during inserts, all processes are killed, and a
 * part of another age is restored. Every import ends, no submission gets a second case, and the page
 * describes every mail that is sent.
 */

import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { findTemporalBinary } from '../../src/trial-parts/servers/temporal-binary.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { eventually } from '../support/eventually.ts';
import type { StartedImport } from '../support/npm-start-client.ts';
import { readCommands, shell } from '../support/page-commands.ts';
import { runSql } from '../support/servers.ts';
import { type NpmStart, npmStart } from '../support/starters/stack.ts';
import { findSystemPostgres, type SystemPostgres, startSystemPostgres } from '../support/system-postgres.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const PRODUCTS = 8;
/** Long enough that backups and kills come in the middle. */
const LATENCY_MS = 150;
/** A time zone that is not UTC: its clocks are ahead by this time. */
const [TZ, AHEAD_MS] = ['IST-5:30', 5.5 * 60 * 60_000];

const binDir = findSystemPostgres();
const missing = missingTool();

function missingTool(): string | null {
  if (binDir === null) return "PostgreSQL's server and tools";
  const tool = ['sqlite3', 'tar'].find((name) => spawnSync(name, ['--version']).status !== 0);
  return tool ?? null;
}

describe.skipIf(missing !== null)(`deploy/backup.md${missing === null ? '' : ` (needs ${missing})`}`, () => {
  let commands: Map<string, string>;
  const executed = new Set<string>();
  let postgres: SystemPostgres;
  let service: NpmStart;
  let client: NpmStart['client'];
  let directory: string;
  /** Time of the last backup, by a local clock. */
  let since: string;

  beforeAll(async () => {
    commands = await readCommands('deploy/backup.md');
    directory = await temporaryDirectory();
    // PostgreSQL may run as another user, who needs access to the directory.
    await chmod(directory, 0o711);
    await mkdir(tools());
    const temporal = await findTemporalBinary(CACHE_DIRECTORY, () => {});
    if (isAbsolute(temporal)) await symlink(temporal, join(tools(), 'temporal'));
    postgres = await startSystemPostgres(binDir ?? '', directory);
    await createRoles();
    service = await npmStart({ LOG_LEVEL: 'silent', DATABASE_URL: postgres.url });
    ({ client } = service);
  });

  const tools = () => join(directory, 'tools');

  /** Those of an installation: gateways and workers do not own the tables. */
  async function createRoles(): Promise<void> {
    await runSql(postgres.administratorUrl, await readFile('deploy/database-roles.sql', 'utf8'));
  }

  /** A new server has the owner and its database only. */
  async function forgetRoles(): Promise<void> {
    const role = 'package_import_service';
    await runSql(postgres.administratorUrl, `drop owned by ${role}; drop role ${role}`);
  }

  /** Whether gateways and workers have their rights, and no more. */
  async function rolesHaveTheirRights(): Promise<unknown> {
    const has = (table: string, right: string) =>
      `has_table_privilege('package_import_service', '${table}', '${right}')`;
    const [row] = await runSql(
      postgres.url,
      `select ${has('submission', 'update')} and not ${has('audit_event', 'update')} as so`,
    );
    return row;
  }

  async function execute(...names: string[]): Promise<string> {
    let said = '';
    for (const name of names) {
      executed.add(name);
      const result = await shell(commands.get(name) ?? `echo "no block ${name}"; exit 1`, {
        PATH: [postgres.binDir, tools(), process.env.PATH].join(':'),
        HOME: directory,
        TZ,
        DATABASE_URL: postgres.url,
        ADMINISTRATOR_URL: postgres.administratorUrl,
        DATA_DIR: service.config.dataDir,
        BACKUP: join(directory, 'backup'),
        TEMPORAL_ADDRESS: service.config.temporal.address,
        SINCE: since ?? '',
      });
      if (result.code !== 0)
        throw new Error(`${name} ended with ${result.code}: ${result.stdout}${result.stderr}`);
      said += result.stdout;
    }
    return said;
  }

  async function backUp(...parts: string[]): Promise<void> {
    await rm(join(directory, 'backup'), { recursive: true, force: true });
    await mkdir(join(directory, 'backup'));
    since = new Date(Date.now() + AHEAD_MS).toISOString().replace('T', ' ').replace('Z', '');
    await execute(...parts.map((part) => `back-up-${part}`));
  }

  /** A power cut, and a restore before the next start. */
  async function killEverythingAndRestore(...parts: string[]): Promise<void> {
    await service.killAll();
    await postgres.kill();
    await postgres.startAgain();
    if (parts.includes('database')) await forgetRoles();
    await execute(...parts.map((part) => `restore-${part}`));
    await service.startAgain();
  }

  const startImport = (seed: number) => client.startImport(seed, PRODUCTS, LATENCY_MS);

  /** Asserts that every product is inserted, in one case. */
  async function expectWhole({ importId, products }: StartedImport): Promise<void> {
    const { submissions } = await client.follow(importId);
    expect(submissions.map(({ status }) => status)).toEqual(products.map(() => 'regulator_inserted'));
    expect((await client.casesOf(products)).toSorted()).toEqual(products.toSorted());
  }

  /** The import ends without help. Products that the records then show as failed are retried, as the page says. */
  async function expectWholeAfterRetry(started: StartedImport): Promise<void> {
    await client.follow(started.importId);
    await client.retry(started.importId);
    await expectWhole(started);
  }

  it('restores Temporal older than the database, and lost files', { timeout: 240_000 }, async () => {
    const backedUp = await startImport(1);
    await backedUp.casesOpened(3);
    await backUp('database', 'archive', 'temporal');
    const ended = await startImport(2);
    await Promise.all([backedUp, ended].map(({ importId }) => client.follow(importId)));
    const underWay = await startImport(3);
    await underWay.casesOpened(4);

    await killEverythingAndRestore('temporal');
    for (const started of [backedUp, ended, underWay]) await expectWholeAfterRetry(started);
    for (const { importId } of [backedUp, ended, underWay])
      expect(await client.summariesOf(importId)).toHaveLength(1);

    const { zip_file_path } = (await client.report(backedUp.importId)).data;
    await rm(zip_file_path);
    await execute('restore-archive');
    expect((await stat(zip_file_path)).isFile()).toBe(true);
  });

  it('restores the database older than Temporal', { timeout: 240_000 }, async () => {
    const backedUp = await startImport(4);
    await backedUp.casesOpened(3);
    await backUp('database');
    const lost = await startImport(5);
    await Promise.all([backedUp, lost].map(({ importId }) => client.follow(importId)));
    const lostUnderWay = await startImport(6);
    await lostUnderWay.casesOpened(4);

    await killEverythingAndRestore('database', 'roles');
    expect(await rolesHaveTheirRights()).toEqual({ so: true });
    // Their runs succeeded before the restore: there is nothing to retry.
    await expectWhole(backedUp);
    // The second mail is sent after the restore, with the same Message-ID.
    const summaries = await client.summariesOf(backedUp.importId);
    expect(new Set(summaries).size).toBe(1);
    expect(summaries.length).toBeLessThanOrEqual(2);

    for (const { importId } of [lost, lostUnderWay])
      await expect(client.report(importId)).rejects.toMatchObject({ status: 404 });
    expect((await execute('lost-packages')).trim().split('\n')).toHaveLength(2);
    expect(await execute('lost-products')).toContain(lostUnderWay.products[0]);
    await expectNothingRuns();
    for (const { products } of [lost, lostUnderWay]) {
      const opened = await client.casesOf(products);
      expect(opened).toHaveLength(new Set(opened).size);
    }

    const next = await startImport(7);
    expect(next.importId).toBeGreaterThan(lostUnderWay.importId);
    await expectWhole(next);
    expect(await client.summariesOf(next.importId)).toHaveLength(1);
  });

  it('restores the database from before a package was read: it is read again with the same submissions', {
    timeout: 240_000,
  }, async () => {
    const started = await startImport(8);
    await client.follow(started.importId);
    // The state of a dump that was taken when the import was stored and not yet read.
    await service.killAll();
    for (const statement of [
      `delete from queue_result where zip_import_id = ${started.importId}`,
      `delete from submission where zip_import_id = ${started.importId}`,
      `update zip_import set status = 'extracting', read_at = null, queued_at = null, completed_at = null where id = ${started.importId}`,
    ])
      await runSql(postgres.url, statement);
    await service.startAgain();
    await expectWhole(started);
  });

  it('has only commands that this test runs', () => {
    expect([...commands.keys()].filter((name) => !executed.has(name))).toEqual([]);
  });

  /** Runs that imports start; schedules continue. */
  async function expectNothingRuns(): Promise<void> {
    const connection = await Connection.connect({ address: service.config.temporal.address });
    try {
      const temporal = new Client({ connection, namespace: service.config.temporal.namespace });
      const types = "WorkflowType in ('package-import', 'package-import-batch', 'regulator-insert')";
      const query = `${types} and ExecutionStatus = 'Running'`;
      await eventually(async () => (await temporal.workflow.count(query)).count === 0);
    } finally {
      await connection.close();
    }
  }
});
