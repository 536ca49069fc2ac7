/**
 * A PostgreSQL with a disk that is really full: requests wait or are refused, nothing is lost, and the
 * service recovers without help.
 */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/database/migrations.ts';
import { startEmbeddedServersProcess } from '../../src/processes/whole-service/embedded-servers.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { closing } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { type Stack, startStack } from '../support/starters/stack.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const KB = 1024;
const PRODUCTS = 6;
/** Comment that makes a product file larger than the allocated pages of its table can hold. It does not compress. */
const LARGE = Array.from({ length: 4 }, () => `<!-- ${randomBytes(30_000).toString('hex')} -->`).join('');
/** PostgreSQL's code while it starts, stops or recovers. */
const CANNOT_CONNECT_NOW = '57P03';
const CREDENTIALS = { user: 'package_import', password: 'package_import' };

const disk = mountSmallDisk(192);

describe.skipIf(disk === null)('a database without room (needs root, to mount a small file system)', () => {
  let stack: Stack;
  /** Messages of the process of the embedded servers. */
  const said: string[] = [];
  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    const postgres = startEmbeddedServersProcess(
      {
        cacheDir: CACHE_DIRECTORY,
        postgres: {
          ...CREDENTIALS,
          directory: join(disk?.directory ?? '', 'postgres'),
          host: '127.0.0.1',
          port,
          databases: ['package_import'],
          flags: ['-c', 'min_wal_size=32MB', '-c', 'max_wal_size=32MB'],
        },
        temporal: null,
      },
      (line) => said.push(line),
    );
    await closing(postgres);
    const { user, password } = CREDENTIALS;
    const databaseUrl = `postgresql://${user}:${password}@127.0.0.1:${port}/package_import`;
    await migrate(databaseUrl);
    stack = await startStack({ databaseUrl });
  });
  afterEach(() => disk?.makeRoom());

  async function newPackage(comment = '') {
    const products = Array.from({ length: PRODUCTS }, newProductId);
    const edit = (xml: string) => xml.replace('<Product>', `${comment}<Product>`);
    const entries = products.map((productId) => [productPath(productId), productXml({ productId, edit })]);
    return { products, zip: await zipOf(Object.fromEntries(entries)) };
  }

  async function expectWhole(importId: number, products: string[]): Promise<void> {
    const { submissions } = await finished(stack, importId);
    expect(submissions.map(({ status }) => status)).toEqual(products.map(() => 'regulator_inserted'));
    const { casesOf, summariesOf } = stack.imports;
    expect(products.map((productId) => casesOf(productId).length)).toEqual(products.map(() => 1));
    expect(await summariesOf(importId)).toHaveLength(1);
  }

  it('refuses an upload that it cannot record with 503, and leaves nothing', async () => {
    await disk?.leave(0);
    const { zip } = await newPackage();
    const refused = await upload(stack, zip);
    expect(refused).toMatchObject({ status: 503, body: { status: 'error', data: { code: 'storage_full' } } });
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await stack.sql('select 1 from zip_import')).toEqual([]);
  });

  it('lets a package that is being read wait until there is room', async () => {
    // The tables of an import have room for its record now, and none for its products.
    const first = await newPackage();
    await finished(stack, (await upload(stack, first.zip)).body.data.id);
    await disk?.leave(64 * KB);
    const { products, zip } = await newPackage(LARGE);
    const answer = upload(stack, zip, { email: 'person@company.example' });
    await eventually(async () => {
      const runs = stack.temporal.workflow.list({
        query: "WorkflowType = 'package-import' and ExecutionStatus = 'Running'",
      });
      for await (const { workflowId } of runs) {
        const { raw } = await stack.temporal.workflow.getHandle(workflowId).describe();
        const failures = (raw.pendingActivities ?? []).map(({ lastFailure }) => lastFailure?.message ?? '');
        if (failures.some((message) => message.includes('No space left on device'))) return true;
      }
      return false;
    });
    await disk?.makeRoom();
    const { status, body } = await answer;
    expect(status).toBe(200);
    await expectWhole(body.data.id, products);
  });

  it('that stops without room starts again when there is room, and everything continues', async () => {
    const { behaviour } = stack.simulator.simulation;
    // The database stops while products are being inserted, and not while the summary is sent: it might be sent again
    // then.
    behaviour.latency_ms = 2_000;
    const { products, zip } = await newPackage();
    const { data } = (await upload(stack, zip, { email: 'person@company.example' })).body;
    await eventually(async () => products.some((productId) => stack.imports.casesOf(productId).length > 0));
    await disk?.leave(0);
    await eventually(() =>
      useUpLog().then(
        () => false,
        () => true,
      ),
    );
    await eventually(async () => (await readiness()) === 503);
    await eventually(triesAgainAndAgain());
    const refused = await upload(stack, (await newPackage()).zip);
    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect(refused.body).toMatchObject({ status: 'error', data: { code: expect.stringMatching(/./) } });
    await disk?.makeRoom();
    behaviour.latency_ms = 0;
    await eventually(async () => (await readiness()) === 200, 120_000);
    await expectWhole(data.id, products);
  });

  /**
   * Without room PostgreSQL recovers in vain. It ends when that fails in its start, and its parent process restarts
   * too. It recovers again by itself when that fails in the checkpoint after the start: it is "in recovery" all the
   * time then.
   */
  function triesAgainAndAgain(): () => Promise<boolean> {
    const restarts = () => said.filter((line) => line.includes('Restarting it')).length;
    let last = restarts();
    let recoveries = 0;
    return async () => {
      if (restarts() > last) recoveries = 0;
      last = restarts();
      const error = await stack.sql('select 1').catch((reason: { code?: string }) => reason);
      if ('code' in error && error.code === CANNOT_CONNECT_NOW) recoveries += 1;
      return last > 2 || recoveries > 20;
    };
  }

  const readiness = async () => (await fetch(`${stack.healthUrl}/health/ready`)).status;

  /** @throws Error when the server has no room for its log, which ends the server */
  async function useUpLog(): Promise<void> {
    await stack.sql('select pg_switch_wal() from pg_logical_emit_message(true, $$test$$, $$fill$$)');
  }
});
