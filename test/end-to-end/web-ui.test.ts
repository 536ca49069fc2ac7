/**
 * The Temporal Web UI as operators see it (docs/web-ui.md): runs are found by import and product, an import
 * shows its progress, a failed insert shows the regulator's answer. RECORD_PICTURES=1 takes the pictures
 * anew.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { insertWorkflowId, packageImportWorkflowId } from '../../src/domain/ids.ts';
import { startTemporalServer } from '../../src/trial-parts/servers/temporal.ts';
import { findTemporalBinary } from '../../src/trial-parts/servers/temporal-binary.ts';
import { findBrowser, launchBrowser } from '../support/browser.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { atEnd, closing } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { type Stack, startStack } from '../support/starters/stack.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const NAMESPACE = 'default';
const PICTURES = fileURLToPath(new URL('../../docs/pictures', import.meta.url));
const [INSERTED, REJECTED, WAITING] = ['99962-26-00001', '99962-26-00002', '99962-26-00003'] as const;
/** Of another import, while the regulator is available: every step of its insert is a marker. */
const REJECTED_AT_ONCE = '99962-26-00004';
/** Columns of the table; the browser keeps them per namespace. Operators choose them with the table's gear wheel. */
const COLUMNS = ['Status', 'Workflow ID', 'PackageImportId', 'ProductId', 'Start', 'End'];
/** Pages load megabytes of code. */
const SHOWN_MS = 45_000;
const VIEWPORT = { width: 1480, height: 800 };

const executable = await findBrowser();

describe.skipIf(executable === null)('the Temporal Web UI (needs Chromium or Chrome on the PATH)', () => {
  let stack: Stack;
  let page: Page;
  let base: string;
  let importId: number;
  let importUuid: string;

  beforeAll(async () => {
    const [port = 0, uiPort = 0] = await freePorts(2);
    const address = `127.0.0.1:${port}`;
    const server = await startTemporalServer({
      binary: await findTemporalBinary(CACHE_DIRECTORY, () => {}),
      host: '127.0.0.1',
      port,
      uiPort,
      namespaces: [NAMESPACE],
      databaseFile: null,
      pidFile: join(await temporaryDirectory(), 'temporal.pid'),
    });
    atEnd(server.stop);
    stack = await startStack({
      env: { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: NAMESPACE },
      change: ({ worker }) => ({ worker: { ...worker, machine: 'worker-1' } }),
    });
    base = `http://127.0.0.1:${uiPort}/namespaces/${NAMESPACE}/workflows`;
    const browser = await closing(launchBrowser(executable ?? ''));
    page = await browser.newPage({ viewport: VIEWPORT });
    await page.addInitScript(chooseColumns, { namespace: NAMESPACE, labels: COLUMNS });
    await importThreeProducts();
    stack.imports.reject(REJECTED_AT_ONCE);
    await stack.imports.importProducts([{ productId: REJECTED_AT_ONCE }]);
    const ended = async () => (await stack.imports.insert(REJECTED_AT_ONCE).describe()).closeTime;
    await eventually(ended);
  });

  /** One product is inserted, one is rejected, one waits in its first step after the regulator did not answer. */
  async function importThreeProducts(): Promise<void> {
    const imports = stack.imports;
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
    await stack.temporal.workflowService.pauseActivity({
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
    expect(rowOf(INSERTED)).toMatch(/completed/i);
    expect(rowOf(REJECTED)).toMatch(/failed/i);
    expect(rowOf(WAITING)).toMatch(/running/i);
    await picture('workflow-list');
  });

  it('shows the progress of an import', async () => {
    const path = await runPath(packageImportWorkflowId(importUuid), 'user-metadata');
    await shows(path, `Package import ${importId}`, '1 of 3 inserted, 1 failed.');
    await picture('import');
  });

  it('names activities, timers and records in the timeline of an import', async () => {
    const path = await runPath(packageImportWorkflowId(importUuid), 'history');
    await shows(
      path,
      'Read the package and create its submissions',
      `Insert of product ${WAITING}`,
      'Wait before the next check of the inserts',
    );
    await picture('import-timeline');
  });

  it('shows the step and the message of the regulator for a failed insert', async () => {
    const step = 'Step 4 of 6 failed: Send the design';
    const said = 'The regulator rejected the product: design: Rejected on request';
    const pathOf = (tab: string) => runPath(insertWorkflowId(REJECTED_AT_ONCE), tab);
    await shows(await pathOf('history'), 'Failed', said, 'Send the design', `${step}. Record the reason`);
    await shows(await pathOf('user-metadata'), `Insert of product ${REJECTED_AT_ONCE}`, `${step}. ${said}`);
    await picture('failed-insert');
  });

  it('shows the cause of a waiting insert', async () => {
    const path = await runPath(insertWorkflowId(WAITING), 'pending-activities');
    await shows(path, 'init_validate', 'The regulator answered POST /cases with 503');
    await picture('waiting-insert', 590);
  });

  it('runs the queries of docs/web-ui.md', async () => {
    const page = await readFile(new URL('../../docs/web-ui.md', import.meta.url), 'utf8');
    const queries = [...page.matchAll(/^```sql\n(.*)\n```$/gm)].map(([, query = '']) => query);
    const counts = queries.map(async (query) => (await stack.temporal.workflow.count(query)).count);
    expect(await Promise.all(counts)).toEqual([4, 1, 1, 1, 0]);
  });
});

/** Runs in the page, before its own code. */
function chooseColumns({ namespace, labels }: { namespace: string; labels: string[] }): void {
  const columns = { [namespace]: labels.map((label) => ({ label })) };
  localStorage.setItem('namespace-workflow-table-columns', JSON.stringify(columns));
}
