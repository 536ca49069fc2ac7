/**
 * Every path that runs of our workflows take, each brought about in the real stack. `npm run prove -- record-release`
 * plays them and keeps the histories; `npm test` replays those.
 */
import {
  failuresRunWorkflowId,
  insertWorkflowId,
  packageImportBatchWorkflowId,
  packageImportRetryWorkflowId,
  packageImportWorkflowId,
  webhookDeliveryWorkflowId,
} from '../../src/domain/ids.ts';
import { BATCH_SIZE } from '../../src/domain/package-import.ts';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { redeliver, WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { holdQueueResults } from '../support/hold-queue-results.ts';
import type { importsOf } from '../support/imports.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import type { Stack } from '../support/starters/stack.ts';
import { reconcileNow, resetRun } from '../support/temporal.ts';
import { call, finished, upload } from '../support/upload.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';
import { zipOf } from '../support/zip.ts';

export interface Stage {
  stack: Stack;
  receiver: WebhookReceiver;
  imports: ReturnType<typeof importsOf>;
}

/** A run whose history is kept. Without a run id the last one. */
export interface Run {
  workflowId: string;
  runId?: string;
}

export type Scenario = (stage: Stage) => Promise<Run[]>;

const RECIPIENT = 'person@company.example';

const insert = (productId: string, runId?: string): Run => ({
  workflowId: insertWorkflowId(productId),
  ...(runId !== undefined && { runId }),
});
const parent = (uuid: string, runId?: string): Run => ({
  workflowId: packageImportWorkflowId(uuid),
  ...(runId !== undefined && { runId }),
});

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  async 'all-succeed'({ stack, imports }) {
    const products = Array.from({ length: 3 }, newProductId);
    const { id } = await imports.importProducts(products.map((productId) => ({ productId })));
    await finished(stack, id);
    return [parent(await uuidOf(stack, id)), insert(products[0] ?? '')];
  },

  async 'nothing-to-insert'({ stack }) {
    const zip = await zipOf({ 'root/export/ecigarette-product-submissions/': '' });
    const { data } = (await upload(stack, zip, { email: RECIPIENT })).body;
    await finished(stack, data.id);
    return [parent(await uuidOf(stack, data.id))];
  },

  async 'failed-child'({ stack, imports }) {
    const [good, bad] = [newProductId(), newProductId()];
    imports.reject(bad);
    const { id } = await imports.importProducts([{ productId: good }, { productId: bad }]);
    await finished(stack, id);
    return [parent(await uuidOf(stack, id)), insert(bad)];
  },

  async 'already-queued'({ stack, imports }) {
    imports.takeRegulatorAway();
    const productId = newProductId();
    const first = await imports.importOne({ productId });
    const second = await imports.importOne({ productId, brand: 'Changed' });
    await finished(stack, second.importId);
    imports.restoreRegulator();
    await finished(stack, first.importId);
    return [parent(second.importUuid)];
  },

  /** A record that its local attempts cannot write becomes an activity. */
  async 'records-away'({ stack, imports }) {
    const release = await holdQueueResults(stack);
    const answer = imports.importOne();
    const begun = 'select uuid from zip_import where completed_at is null';
    const uuid = await eventually(async () => (await stack.sql<{ uuid: string }>(begun))[0]?.uuid);
    await eventually(async () => {
      const run = await imports
        .parent(uuid)
        .describe()
        .catch(() => null);
      return run?.raw.pendingActivities?.some(
        ({ activityType }) => activityType?.name === 'recordQueueResults',
      );
    });
    await release();
    await finished(stack, (await answer).importId);
    return [parent(uuid)];
  },

  async partial({ stack }) {
    const zip = await zipOf({ [productPath('a')]: productXml(), [productPath('b')]: 'no XML' });
    const { data } = (await upload(stack, zip)).body;
    await finished(stack, data.id);
    return [parent(await uuidOf(stack, data.id))];
  },

  async 'invalid-package'({ stack, imports }) {
    await upload(stack, await zipOf({ 'a/export/x.xml': '', 'b/export/x.xml': '' }));
    const { body } = await call<{ imports: { id: number }[] }>(
      stack,
      'GET',
      '/regulator/package-imports?limit=1',
    );
    const uuid = await uuidOf(stack, body.data.imports[0]?.id ?? 0);
    await imports
      .parent(uuid)
      .result()
      .catch(() => {});
    return [parent(uuid)];
  },

  async 'session-lost-and-back'({ stack, imports }) {
    stack.simulator.simulation.behaviour.latency_ms = 300;
    const { productId, importId, importUuid } = await imports.importOne();
    await call(stack, 'DELETE', '/regulator/session');
    await eventually(async () => (await lastFailure(stack, productId)).includes('session'));
    imports.restoreRegulator();
    await stack.logIn();
    await finished(stack, importId);
    return [parent(importUuid), insert(productId)];
  },

  async 'import-cancelled'({ stack, imports }) {
    imports.takeRegulatorAway();
    const { productId, importId, importUuid } = await imports.importOne();
    await imports.parent(importUuid).cancel();
    await finished(stack, importId);
    return [parent(importUuid), insert(productId)];
  },

  async 'import-retried'({ stack, imports }) {
    const products = [newProductId(), newProductId()];
    stack.simulator.simulation.behaviour.reject = products.map((product_id) => ({
      product_id,
      step: 'design' as const,
      message: 'Rejected on request',
    }));
    const { id } = await imports.importProducts(products.map((productId) => ({ productId })));
    await finished(stack, id);
    imports.restoreRegulator();
    await call(stack, 'POST', `/regulator/package-imports/${id}/actions/regulator-insert`);
    const run = {
      workflowId: packageImportRetryWorkflowId((await stack.database.importRetries.last(id))?.uuid ?? ''),
    };
    await closed(stack, run);
    return [run];
  },

  async 'failures-run'({ stack, imports }) {
    const { importId, submissionId, productId } = await imports.importOne();
    imports.takeRegulatorAway();
    await imports.reached(submissionId, 'regulator_inserting');
    await imports.insert(productId).terminate();
    await finished(stack, importId);
    imports.restoreRegulator();
    await call(stack, 'POST', '/regulator/failures/actions/regulator-insert');
    const run = { workflowId: failuresRunWorkflowId(null) };
    await stack.temporal.workflow.getHandle(run.workflowId).result();
    return [run];
  },

  async 'retry-cancelled'({ stack, imports }) {
    const productId = newProductId();
    imports.reject(productId);
    const { importId } = await imports.importOne({ productId });
    await finished(stack, importId);
    const retry = await stack.database.importRetries.begin({
      importId,
      clientId: 'client',
      actor: 'client:test',
    });
    const retryUuid = retry?.uuid ?? '';
    const handle = await stack.temporal.workflow.start(WORKFLOW_TYPES.packageImportRetry, {
      workflowId: packageImportRetryWorkflowId(retryUuid),
      taskQueue: TASK_QUEUES.packageImport,
      args: [{ importId, retryUuid }],
      startDelay: '2 seconds',
    });
    await handle.cancel();
    await closed(stack, handle);
    return [handle];
  },

  async 'insert-terminated'({ stack, imports }) {
    imports.takeRegulatorAway();
    const { productId, importId, importUuid } = await imports.importOne();
    await imports.insert(productId).terminate('stuck');
    await finished(stack, importId);
    return [parent(importUuid)];
  },

  async 'insert-reset'({ stack, imports }) {
    const productId = newProductId();
    imports.reject(productId);
    const { importId, submissionId } = await imports.importOne({ productId });
    await finished(stack, importId);
    imports.restoreRegulator();
    const runId = await resetRun(stack, insertWorkflowId(productId));
    await imports.reached(submissionId, 'regulator_inserted');
    return [insert(productId, runId)];
  },

  async 'import-reset-while-running'({ stack, imports }) {
    imports.takeRegulatorAway();
    const { importId, importUuid } = await imports.importOne();
    const runId = await resetRun(stack, packageImportWorkflowId(importUuid));
    imports.restoreRegulator();
    await finished(stack, importId);
    return [parent(importUuid, runId)];
  },

  async 'import-reset-after-its-end'({ stack, imports }) {
    const { importId, importUuid } = await imports.importOne();
    await finished(stack, importId);
    const runId = await resetRun(stack, packageImportWorkflowId(importUuid));
    await closed(stack, parent(importUuid, runId));
    return [parent(importUuid, runId)];
  },

  async 'import-resumed'({ stack, imports }) {
    imports.takeRegulatorAway();
    const { importId, importUuid } = await imports.importOne();
    await imports.parent(importUuid).terminate('by accident');
    await reconcileNow(stack);
    await eventually(async () => (await imports.parent(importUuid).describe()).status.name === 'RUNNING');
    imports.restoreRegulator();
    await finished(stack, importId);
    return [parent(importUuid), await lastReconciliation(stack)];
  },

  async 'duplicate-content'({ stack, imports }) {
    const productId = newProductId();
    imports.reject(productId);
    const first = await imports.importOne({ productId });
    await finished(stack, first.importId);
    imports.takeRegulatorAway();
    const second = await imports.importOne({ productId });
    imports.restoreRegulator();
    await finished(stack, second.importId);
    const third = await imports.importOne({ productId, brand: 'Changed' });
    await finished(stack, third.importId);
    await stack.sql(
      `update submission set content_hash = (select content_hash from submission where id = ${second.submissionId}),
              status = 'regulator_insert_failed' where id = ${third.submissionId}`,
    );
    await imports.run(third.submissionId);
    await imports.reached(third.submissionId, 'regulator_inserted');
    return [insert(productId)];
  },

  async superseded({ stack, imports }) {
    const productId = newProductId();
    imports.reject(productId);
    const old = await imports.importOne({ productId });
    await finished(stack, old.importId);
    const oldRun = (await imports.submission(old.submissionId)).job_id ?? '';
    imports.restoreRegulator();
    const recent = await imports.importOne({ productId, brand: 'New' });
    await finished(stack, recent.importId);
    const runId = await resetRun(stack, insertWorkflowId(productId), { runId: oldRun });
    await closed(stack, insert(productId, runId));
    return [insert(productId, runId)];
  },

  async batches({ stack, imports }) {
    const products = Array.from({ length: BATCH_SIZE + 1 }, newProductId);
    const { id } = await imports.importProducts(products.map((productId) => ({ productId })));
    await eventually(async () => (await stack.database.imports.find(id))?.completedAt, 180_000);
    const run = parent(await uuidOf(stack, id));
    const batch = (number: number) => ({ workflowId: packageImportBatchWorkflowId(run.workflowId, number) });
    return [run, batch(1), batch(2)];
  },

  /** A batch ends before it has queued its products, and is started again. */
  async 'batch-lost'({ stack, imports }) {
    const products = Array.from({ length: BATCH_SIZE + 1 }, newProductId);
    const release = await holdQueueResults(stack);
    const answer = imports.importProducts(products.map((productId) => ({ productId })));
    const begun = `select uuid from zip_import where completed_at is null and exists
      (select from submission where zip_import_id = zip_import.id and status = 'regulator_inserted')`;
    const uuid = await eventually(async () => (await stack.sql<{ uuid: string }>(begun))[0]?.uuid);
    const run = parent(uuid);
    const lost = packageImportBatchWorkflowId(run.workflowId, 1);
    await stack.temporal.workflow.getHandle(lost).terminate('by accident');
    await release();
    const { id } = await answer;
    await eventually(async () => (await stack.database.imports.find(id))?.completedAt, 180_000);
    return [run, { workflowId: lost }];
  },

  async 'webhook-delivered'({ stack, receiver, imports }) {
    await call(stack, 'PUT', '/regulator/webhook', { json: { url: receiver.url } });
    const { importId, importUuid } = await imports.importOne();
    const delivery = await deliveryOf(stack, importId);
    await closed(stack, delivery);
    await call(stack, 'DELETE', '/regulator/webhook');
    return [parent(importUuid), delivery];
  },

  /** Requested while an attempt is under way: the same run checks again. */
  async 'webhook-redelivered'({ stack, receiver, imports }) {
    await call(stack, 'PUT', '/regulator/webhook', { json: { url: receiver.url } });
    const held = receiver.hold();
    const { importId } = await imports.importOne();
    const delivery = await deliveryOf(stack, importId);
    await eventually(async () => held.count > 0);
    await stack.temporal.workflow.getHandle(delivery.workflowId).signal(redeliver);
    held.release();
    await closed(stack, delivery);
    await call(stack, 'DELETE', '/regulator/webhook');
    return [delivery];
  },

  async 'webhook-gone'({ stack, receiver }) {
    await call(stack, 'PUT', '/regulator/webhook', { json: { url: receiver.url } });
    receiver.status = 410;
    await upload(stack, await zipOf({ 'a/export/x.xml': '', 'b/export/x.xml': '' }));
    const { body } = await call<{ imports: { id: number }[] }>(
      stack,
      'GET',
      '/regulator/package-imports?limit=1',
    );
    const importId = body.data.imports[0]?.id ?? 0;
    const delivery = await deliveryOf(stack, importId);
    await closed(stack, delivery);
    receiver.status = 200;
    await call(stack, 'DELETE', '/regulator/webhook');
    return [parent(await uuidOf(stack, importId)), delivery];
  },

  async 'dry-run'({ stack }) {
    const form = new FormData();
    form.set('file', new Blob([(await zipOf({ [productPath('a')]: productXml() })).slice()]), 'package.zip');
    form.set('dry_run', 'true');
    await call(stack, 'POST', '/regulator/package-import', { body: form });
    return [await lastRunOf(stack, WORKFLOW_TYPES.packageCheck)];
  },

  async 'mail-digests'({ stack }) {
    await stack.temporal.schedule.getHandle('package-import-mail-digests').trigger();
    const run = await lastRunOf(stack, WORKFLOW_TYPES.mailDigests);
    await closed(stack, run);
    return [run];
  },

  async retention({ stack }) {
    await stack.temporal.schedule.getHandle('package-import-retention').trigger();
    const run = await lastRunOf(stack, WORKFLOW_TYPES.retention);
    await closed(stack, run);
    return [run];
  },

  async statistics({ stack }) {
    await stack.temporal.schedule.getHandle('package-import-statistics').trigger();
    const run = await lastRunOf(stack, WORKFLOW_TYPES.statistics);
    await closed(stack, run);
    return [run];
  },

  async 'mail-refused'({ stack, imports }) {
    stack.mailbox.refuseWith(550);
    const { importId, importUuid } = await imports.importOne();
    await finished(stack, importId);
    await closed(stack, parent(importUuid));
    stack.mailbox.refuseWith(null);
    return [parent(importUuid)];
  },
};

async function uuidOf({ database }: Stack, importId: number): Promise<string> {
  return (await database.imports.find(importId))?.uuid ?? '';
}

/** The run that brings the only message about an import. */
async function deliveryOf({ sql }: Stack, importId: number): Promise<Run> {
  const statement = `select uuid from webhook_delivery where zip_import_id = ${importId}`;
  const uuid = await eventually(async () => (await sql<{ uuid: string }>(statement))[0]?.uuid);
  return { workflowId: webhookDeliveryWorkflowId(uuid) };
}

/** Also of a run that has not begun yet. */
async function closed({ temporal }: Stack, { workflowId, runId }: Run): Promise<void> {
  await eventually(async () => {
    const run = await temporal.workflow
      .getHandle(workflowId, runId)
      .describe()
      .catch(() => null);
    return run && run.status.name !== 'RUNNING';
  });
}

/** Why the step that is under way failed the last time. */
async function lastFailure({ temporal }: Stack, productId: string): Promise<string> {
  const { raw } = await temporal.workflow.getHandle(insertWorkflowId(productId)).describe();
  return raw.pendingActivities?.[0]?.lastFailure?.message ?? '';
}

/** Resolves when the visibility store lists it. */
async function lastRunOf({ temporal }: Stack, workflowType: string): Promise<Run> {
  return eventually(async () => {
    const runs = temporal.workflow.list({ query: `WorkflowType = '${workflowType}'` });
    for await (const { workflowId, runId } of runs) return { workflowId, runId };
    return null;
  });
}

async function lastReconciliation({ temporal }: Stack): Promise<Run> {
  const { info } = await temporal.schedule.getHandle('package-import-reconcile').describe();
  const action = info.recentActions.at(-1)?.action;
  if (action?.type !== 'startWorkflow') throw new Error('the reconciler has not run');
  return { workflowId: action.workflow.workflowId, runId: action.workflow.firstExecutionRunId };
}
