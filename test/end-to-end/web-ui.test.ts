/**
 * The Temporal Web UI as operators see it (docs/web-ui.md): runs are found by import and product, an import
 * shows its progress, a failed insert shows the regulator's answer. RECORD_PICTURES=1 takes the pictures
 * anew.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { insertWorkflowId, packageImportWorkflowId } from '../../src/domain/ids.ts';
import type { LocalServer } from '../../src/trial-parts/servers/local-server.ts';
import { startTemporalServer } from '../../src/trial-parts/servers/temporal.ts';
import { findTemporalBinary } from '../../src/trial-parts/servers/temporal-binary.ts';
import { findBrowser, launchBrowser } from '../support/browser.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { importsOf } from '../support/imports.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { temporaryRoot } from '../support/temporary.ts';

const NAMESPACE = 'default';
const PICTURES = fileURLToPath(new URL('../../docs/pictures', import.meta.url));
const [INSERTED, REJECTED, WAITING] = ['99962-26-00001', '99962-26-00002', '99962-26-00003'] as const;
/** Columns of the table; the browser keeps them per namespace. Operators choose them with the table's gear wheel. */
const COLUMNS = ['Status', 'Workflow ID', 'PackageImportId', 'ProductId', 'Start', 'End'];
/** Pages load megabytes of code. */
const SHOWN_MS = 45_000;
const VIEWPORT = { width: 1480, height: 800 };

const executable = await findBrowser();

describe.skipIf(executable === null)('the Temporal Web UI (needs Chromium or Chrome on the PATH)', () => {
  let directory: string;
  let server: LocalServer;
  let stack: TestStack;
  let connection: Connection;
  let browser: Browser;
  let page: Page;
  let base: string;
  let importId: number;
  let importUuid: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(temporaryRoot(), 'package-import-web-ui-'));
    const [port = 0, uiPort = 0] = await freePorts(2);
    const address = `127.0.0.1:${port}`;
    server = await startTemporalServer({
      binary: await findTemporalBinary(CACHE_DIRECTORY, () => {}),
      host: '127.0.0.1',
      port,
      uiPort,
      namespaces: [NAMESPACE],
      databaseFile: null,
      pidFile: join(directory, 'temporal.pid'),
    });
    stack = await startTestStack({
      env: { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: NAMESPACE },
      change: ({ worker }) => ({ worker: { ...worker, machine: 'worker-1' } }),
    });
    connection = await Connection.connect({ address });
    stack.temporal = new Client({ connection, namespace: NAMESPACE });
    base = `http://127.0.0.1:${uiPort}/namespaces/${NAMESPACE}/workflows`;
    browser = await launchBrowser(executable ?? '');
    page = await browser.newPage({ viewport: VIEWPORT });
    await page.addInitScript(chooseColumns, { namespace: NAMESPACE, labels: COLUMNS });
    await importThreeProducts();
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
    await connection?.close();
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** One product is inserted, one is rejected, one waits in its first step after the regulator did not answer. */
  async function importThreeProducts(): Promise<void> {
    const imports = importsOf(stack);
    const [step] = INSERT_STEPS;
    imports.takeRegulatorAway();
    const { id, submissions } = await imports.importProducts(
      [INSERTED, REJECTED, WAITING].map((productId) => ({ productId })),
    );
    importId = id;
    importUuid = (await stack.database.imports.find(id))?.uuid ?? '';
    const firstStep = async () => {
      const { raw } = await imports.insert(WAITING).describe();
      return raw.pendingActivities?.find(({ lastFailure }) => lastFailure);
    };
    await eventually(firstStep);
    await connection.workflowService.pauseActivity({
      namespace: NAMESPACE,
      execution: { workflowId: insertWorkflowId(WAITING) },
      type: step,
    });
    imports.restoreRegulator();
    imports.reject(REJECTED);
    const idOf = (productId: string) =>
      submissions.find(({ product_id }) => product_id === productId)?.id ?? 0;
    await imports.reached(idOf(INSERTED), 'regulator_inserted');
    await imports.reached(idOf(REJECTED), 'regulator_insert_failed');
  }

  /** The text on the page: the UI renders summaries and details in frames of their own. */
  async function text(): Promise<string> {
    // Code in a string, because the compiler knows no DOM here. A frame may disappear during the call.
    const texts = page.frames().map((frame) => frame.evaluate('document.body.innerText').catch(() => ''));
    return (await Promise.all(texts)).join('\n');
  }

  /** Opens a page and waits until it contains all of these texts. */
  async function shows(path: string, ...wanted: string[]): Promise<void> {
    await page.goto(base + path, { waitUntil: 'domcontentloaded', timeout: SHOWN_MS });
    const missing = async () => {
      const shown = await text();
      return wanted.filter((one) => !shown.includes(one));
    };
    await eventually(async () => (await missing()).length === 0, SHOWN_MS).catch(async () => {
      expect(await missing(), await text()).toEqual([]);
    });
  }

  /** @param height the height of the picture from the top of the page: stack traces name the machine */
  async function picture(name: string, height = 800): Promise<void> {
    if (process.env.RECORD_PICTURES !== '1') return;
    const clip = { x: 0, y: 0, width: VIEWPORT.width, height };
    await page.screenshot({ path: join(PICTURES, `${name}.png`), clip });
  }

  async function runPath(workflowId: string, tab: string): Promise<string> {
    const { runId } = await stack.temporal.workflow.getHandle(workflowId).describe();
    return `/${workflowId}/${runId}/${tab}`;
  }

  it('lists the runs of an import, with the products', async () => {
    const query = encodeURIComponent(`PackageImportId=${importId}`);
    await shows(`?query=${query}`, 'ProductId', 'PackageImportId', INSERTED, REJECTED, WAITING);
    const rows = (await page.evaluate(
      "[...document.querySelectorAll('tbody tr')].map((row) => row.innerText)",
    )) as string[];
    const rowOf = (productId: string) => rows.find((row) => row.includes(`\t${productId}`)) ?? '';
    expect(rowOf(INSERTED)).toContain('Completed');
    expect(rowOf(REJECTED)).toContain('Failed');
    expect(rowOf(WAITING)).toContain('Running');
    await picture('workflow-list');
  });

  it('says of an import how far it is, and what each of its parts is', async () => {
    const path = await runPath(packageImportWorkflowId(importUuid), 'user-metadata');
    await shows(
      path,
      `Package import ${importId}`,
      '1 of 3 inserted, 1 failed.',
      'Read the package and create its submissions',
      `Insert of product ${REJECTED}`,
    );
    await picture('import');
  });

  it('names activities, timers and records in the timeline of an import', async () => {
    const path = await runPath(packageImportWorkflowId(importUuid), 'history');
    await shows(
      path,
      'Read the package and create its submissions',
      `Insert of product ${WAITING}`,
      'Until the next look at how far the inserts are',
    );
    await picture('import-timeline');
  });

  it('says of a failed insert what the regulator said', async () => {
    const said = 'The regulator rejected the product: design: Rejected on request';
    await shows(await runPath(insertWorkflowId(REJECTED), 'history'), 'Failed', said, 'Send the design');
    await shows(
      await runPath(insertWorkflowId(REJECTED), 'user-metadata'),
      `Insert of product ${REJECTED}`,
      said,
    );
    await picture('failed-insert');
  });

  it('says of a waiting insert what it waits for', async () => {
    const path = await runPath(insertWorkflowId(WAITING), 'pending-activities');
    await shows(path, 'init_validate', 'The regulator answered POST /cases with 503');
    await picture('waiting-insert', 590);
  });

  it('knows the queries of docs/web-ui.md', async () => {
    const page = await readFile(new URL('../../docs/web-ui.md', import.meta.url), 'utf8');
    const queries = [...page.matchAll(/^```sql\n(.*)\n```$/gm)].map(([, query = '']) => query);
    const counts = queries.map(async (query) => (await stack.temporal.workflow.count(query)).count);
    expect(await Promise.all(counts)).toEqual([4, 1, 1, 1, 0, 0]);
  });
});

/** Runs in the page, before its own code. */
function chooseColumns({ namespace, labels }: { namespace: string; labels: string[] }): void {
  const columns = { [namespace]: labels.map((label) => ({ label })) };
  localStorage.setItem('namespace-workflow-table-columns', JSON.stringify(columns));
}
