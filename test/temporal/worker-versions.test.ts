/**
 * Versioned workers by the recipe of `deploy/upgrades.md`: every command of it, executed as an operator would, from workers
 * without versions to a first, a ramped and a second version, and back.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageImportWorkflowId } from '../../src/domain/ids.ts';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import type { DryRunResultJson } from '../../src/gateway/schemas/dry-run.ts';
import { findTemporalBinary } from '../../src/local/servers/temporal-binary.ts';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { eventually } from '../support/eventually.ts';
import { importsOf } from '../support/imports.ts';
import { readCommands } from '../support/page-commands.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { createOperator, type Operator } from '../support/runbook.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { type Answer, call, finished } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const WORKER_DEPLOYMENT_NAME = 'package-import';
const FIRST = '1.0.0+first';
const SECOND = '2.0.0+second';

/** `temporal.api.enums.v1.VersioningBehavior` */
const UNVERSIONED = { behavior: 0, buildId: null };
const pinnedTo = (buildId: string) => ({ behavior: 1, buildId });
const movedTo = (buildId: string) => ({ behavior: 2, buildId });

type Workers = Awaited<ReturnType<TestStack['startWorkers']>>;

const blocks = await readCommands('deploy/upgrades.md');
let stack: TestStack;
let imports: ReturnType<typeof importsOf>;
let operator: Operator;
/** Workers of the first version, those that read packages apart. */
let first: Workers;
let firstReading: Workers;
beforeAll(async () => {
  stack = await startTestStack({ withoutWorkers: true });
  imports = importsOf(stack);
  operator = await createOperator(stack, blocks, {
    temporal: await findTemporalBinary(CACHE_DIRECTORY, () => {}),
  });
});
afterAll(async () => {
  imports.restoreRegulator();
  await operator.close();
  await stack.stop();
});

const startVersion = (buildId: string, ...roles: TestStack['config']['worker']['roles']) =>
  stack.startWorkers({
    buildId,
    deploymentName: WORKER_DEPLOYMENT_NAME,
    ...(roles.length > 0 && { roles }),
  });
const startFirst = () => startVersion(FIRST, 'package-import', 'regulator-insert');

const run = (name: string, variables: Parameters<Operator['run']>[1] = {}) =>
  operator.run(name, { WORKER_DEPLOYMENT_NAME, ...variables });

/** The server refuses what it has not heard of, or which has not been polled for: once more, as a person would. */
const onceKnown = (name: string, variables: Parameters<Operator['run']>[1]) =>
  eventually(() =>
    run(name, variables).then(
      () => true,
      () => false,
    ),
  );

/** How Temporal treats a run, and the version that it is with. */
async function versionOf(workflowId: string) {
  const { raw } = await stack.temporal.workflow.getHandle(workflowId).describe();
  const { behavior, deploymentVersion } = raw.workflowExecutionInfo?.versioningInfo ?? {};
  return { behavior: Number(behavior ?? 0), buildId: deploymentVersion?.buildId ?? null };
}

const versionOfImport = ({ importUuid }: { importUuid: string }) =>
  versionOf(packageImportWorkflowId(importUuid));

/** Imports a product and has it inserted. @returns the version that has done it */
async function importWhole() {
  const imported = await imports.importOne();
  const { submissions } = await finished(stack, imported.importId);
  expect(submissions.map(({ status }) => status)).toEqual(['regulator_inserted']);
  return versionOfImport(imported);
}

/** Imports a product that waits for the regulator. */
async function importWaiting() {
  imports.takeRegulatorAway();
  const imported = await imports.importOne();
  await imports.reached(imported.submissionId, 'regulator_inserting');
  return imported;
}

/** Once the regulator is back. @returns the version that has ended it */
async function endOf(imported: Awaited<ReturnType<typeof importWaiting>>) {
  imports.restoreRegulator();
  const { submissions } = await finished(stack, imported.importId);
  expect(submissions.map(({ status }) => status)).toEqual(['regulator_inserted']);
  await eventually(async () => {
    const { status } = await imports.parent(imported.importUuid).describe();
    return status.name === 'COMPLETED';
  });
  return versionOfImport(imported);
}

/** A dry run whose package nobody reads yet. */
async function dryRunWaiting() {
  const form = new FormData();
  const zip = await zipOf({ [productPath('0')]: productXml({ productId: newProductId() }) });
  form.set('file', new Blob([zip.slice()]), 'package.zip');
  const answer = call(stack, 'POST', '/regulator/package-import?dry_run=true', { body: form });
  const query = `WorkflowType = '${WORKFLOW_TYPES.packageCheck}' and ExecutionStatus = 'Running'`;
  const workflowId = await eventually(async () => {
    for await (const { workflowId } of stack.temporal.workflow.list({ query }))
      if ((await versionOf(workflowId)).buildId !== null) return workflowId;
    return null;
  });
  return { workflowId, answer: answer as Promise<Answer<DryRunResultJson>> };
}

/** A run that is pinned where workers are versioned, from its start to its end. */
function count(workflowId: string): Promise<unknown> {
  const { packageImport: taskQueue } = TASK_QUEUES;
  return stack.temporal.workflow.execute(WORKFLOW_TYPES.statistics, { workflowId, taskQueue });
}

it('begins with what is under way, once a first version is the current one', async () => {
  const unversioned = await stack.startWorkers();
  const waiting = await importWaiting();
  expect(await versionOfImport(waiting)).toEqual(UNVERSIONED);
  first = await startFirst();
  firstReading = await startVersion(FIRST, 'package-reading');
  expect(await versionOfImport(await importWaiting())).toEqual(UNVERSIONED);
  await onceKnown('current', { BUILD_ID: FIRST });
  await unversioned.close();
  expect(await endOf(waiting)).toEqual(movedTo(FIRST));
  expect(await run('versions')).toContain(FIRST);
});

it('leaves the gateway ready', async () => {
  const { status } = await fetch(`${stack.gatewayUrl}/health/ready`);
  expect(status).toBe(200);
  expect(await importWhole()).toEqual(movedTo(FIRST));
});

it('gives a part of the new runs to a ramped version', async () => {
  await startVersion(SECOND);
  await onceKnown('ramp', { BUILD_ID: SECOND, PERCENTAGE: 50 });
  const ids = Array.from({ length: 30 }, (_, index) => `ramp-${index}`);
  for (const workflowId of ids) await count(workflowId);
  const versions = await Promise.all(ids.map(versionOf));
  expect(new Set(versions.map(({ buildId }) => buildId))).toEqual(new Set([FIRST, SECOND]));
  await run('no-ramp', { BUILD_ID: SECOND });
  expect(await importWhole()).toEqual(movedTo(FIRST));
});

it('moves imports to the second version, and lets a dry run end with its own', async () => {
  const waiting = await importWaiting();
  await firstReading.close();
  const dryRun = await dryRunWaiting();
  expect(await versionOf(dryRun.workflowId)).toEqual(pinnedTo(FIRST));
  await onceKnown('current', { BUILD_ID: SECOND });
  expect(await endOf(waiting)).toEqual(movedTo(SECOND));
  expect(await importWhole()).toEqual(movedTo(SECOND));
  expect(await run('version', { BUILD_ID: FIRST })).toMatch(/draining/i);
  expect(await versionOf(dryRun.workflowId)).toEqual(pinnedTo(FIRST));
  firstReading = await startVersion(FIRST, 'package-reading');
  expect((await dryRun.answer).status).toBe(200);
  expect(await versionOf(dryRun.workflowId)).toEqual(pinnedTo(FIRST));
});

it('refuses a version that lacks a role', async () => {
  const BUILD_ID = '3.0.0+part';
  const part = await startVersion(BUILD_ID, 'package-import');
  await onceKnown('version', { BUILD_ID });
  await expect(run('current', { BUILD_ID })).rejects.toThrow(/task queues/i);
  await part.close();
});

it('goes back to the first version, with what the second has begun', async () => {
  const waiting = await importWaiting();
  expect(await versionOfImport(waiting)).toEqual(movedTo(SECOND));
  await onceKnown('current', { BUILD_ID: FIRST });
  expect(await endOf(waiting)).toEqual(movedTo(FIRST));
});

it('moves by hand what is pinned to a version whose workers are gone', async () => {
  await firstReading.close();
  const dryRun = await dryRunWaiting();
  await first.close();
  await onceKnown('current', { BUILD_ID: SECOND });
  await run('move', { WORKFLOW_ID: dryRun.workflowId });
  expect((await dryRun.answer).status).toBe(200);
  expect((await versionOf(dryRun.workflowId)).buildId).toBe(SECOND);
});

it('ends where it began: with workers without versions', async () => {
  const waiting = await importWaiting();
  await stack.startWorkers();
  await run('unversioned');
  expect(await endOf(waiting)).toEqual(UNVERSIONED);
  expect(await importWhole()).toEqual(UNVERSIONED);
  await count('unversioned');
  expect(await versionOf('unversioned')).toEqual(UNVERSIONED);
});

it('has executed every command of the page', () => {
  expect([...blocks.keys()].filter((name) => !operator.executed.has(name))).toEqual([]);
});
