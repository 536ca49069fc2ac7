/**
 * Plays a large import through a whole service and measures what it leaves in Temporal: every figure comes
 * from the real histories.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { ImportResult } from '../../src/contract/types.ts';
import {
  insertWorkflowId,
  packageImportBatchWorkflowId,
  packageImportWorkflowId,
} from '../../src/domain/ids.ts';
import { BATCH_SIZE } from '../../src/domain/package-import.ts';
import { eventually } from '../support/eventually.ts';
import { productPath, productXml } from '../support/product-xml.ts';
import type { Stack } from '../support/starters/stack.ts';
import { zipOf } from '../support/zip.ts';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/** Figures of all runs of one kind. */
interface RunFigures {
  runs: number;
  /** Number of runs that ended as COMPLETED. */
  completed: number;
  /** Events of the longest history. */
  events: number;
  /** Bytes of the largest history, as the server counts them. */
  bytes: number;
  /** Bytes of the greatest payload. Of inserts a sample is read: their history's size is a bound of all. */
  payloadBytes: number;
  /** Children that were pending at the same time under one run. */
  pendingChildren: number;
}

export interface LargeImportFigures {
  products: number;
  zipBytes: number;
  /** From the request to its answer: reading and queuing. */
  answeredAfterSeconds: number;
  endedAfterSeconds: number;
  answer: { status: number; created: number; queued: number };
  /** Submissions by status. */
  submissions: Record<string, number>;
  /** Cases at the regulator, and how many of them were asked for or had a section accepted more than once. */
  cases: number;
  repeatedCases: number;
  mails: number;
  imports: RunFigures;
  batches: RunFigures;
  inserts: RunFigures;
}

const RECIPIENT = 'person@company.example';
const SAMPLED_INSERTS = 20;
const POLL_MS = 1000;
const PER_SECOND = 1000;

/** @param maxWaitMs for the whole import */
export async function runLargeImport(
  stack: Stack,
  products: number,
  maxWaitMs: number,
): Promise<LargeImportFigures> {
  const zip = await packageOf(products);
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / PER_SECOND;
  const answer = await uploadPatiently(stack, zip);
  const answeredAfterSeconds = seconds();
  const { id: importId } = answer.data;
  const { uuid } = await untilEnded(stack, importId, maxWaitMs);
  const endedAfterSeconds = seconds();
  const importRun = packageImportWorkflowId(uuid);
  const batches = products > BATCH_SIZE ? Math.ceil(products / BATCH_SIZE) : 0;
  const batchRuns = Array.from({ length: batches }, (_, index) =>
    packageImportBatchWorkflowId(importRun, index + 1),
  );
  const { simulation } = stack.simulator;
  const cases = simulation.state.cases;
  const subject = `Package import ${importId}:`;
  return {
    products,
    zipBytes: zip.length,
    answeredAfterSeconds,
    endedAfterSeconds,
    answer: {
      status: answer.status,
      created: answer.data.zip_import.created_submissions.length,
      queued: answer.data.queue.queued_count,
    },
    submissions: await submissionsByStatus(stack, importId),
    cases: cases.length,
    repeatedCases: cases.filter(
      ({ opened, steps }) => opened > 1 || Object.values(steps).some(({ accepted }) => accepted > 1),
    ).length,
    mails: (await stack.mailbox.store.list()).filter((mail) => mail.subject.startsWith(subject)).length,
    imports: await figuresOf(stack, 'package-import', [importRun]),
    batches: await figuresOf(stack, 'package-import-batch', batchRuns),
    inserts: await figuresOf(stack, 'regulator-insert', await sampledInserts(stack, importId)),
  };
}

async function packageOf(products: number): Promise<Uint8Array> {
  const entries = Array.from({ length: products }, (_, index): [string, string] => {
    const productId = `${String(10_000 + Math.floor(index / 90_000)).padStart(5, '0')}-26-${String(10_000 + (index % 90_000))}`;
    return [productPath(`${index}`), productXml({ productId })];
  });
  return zipOf(Object.fromEntries(entries));
}

/** `fetch` would give up after five minutes without an answer. */
async function uploadPatiently(
  stack: Stack,
  zip: Uint8Array,
): Promise<{ status: number; data: ImportResult }> {
  const form = new FormData();
  form.set('file', new Blob([zip.slice()], { type: 'application/zip' }), 'package.zip');
  form.set('email', RECIPIENT);
  const { headers, body } = new Response(form);
  const upload = request(`${stack.gatewayUrl}/regulator/package-import`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await stack.token()}`,
      'content-type': headers.get('content-type') ?? '',
    },
  });
  const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
  await pipeline(body ?? [], upload);
  const [response] = await answered;
  const { data } = (await json(response)) as { data: ImportResult };
  return { status: response.statusCode ?? 0, data };
}

/** Asks rarely: the machine has enough to do. */
async function untilEnded({ database }: Stack, importId: number, maxWaitMs: number) {
  const deadline = Date.now() + maxWaitMs;
  for (;;) {
    const record = await database.imports.find(importId);
    if (record?.completedAt) return record;
    if (Date.now() > deadline) throw new Error(`The import has not ended after ${maxWaitMs} ms`);
    await sleep(POLL_MS);
  }
}

async function submissionsByStatus({ sql }: Stack, importId: number): Promise<Record<string, number>> {
  const rows = await sql<{ status: string; n: number }>(
    `select status, count(*)::int as n from submission where zip_import_id = ${importId} group by status`,
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

async function sampledInserts({ sql }: Stack, importId: number): Promise<string[]> {
  const rows = await sql<{ product_id: string }>(
    `select product_id from submission where zip_import_id = ${importId} order by random() limit ${SAMPLED_INSERTS}`,
  );
  return rows.map(({ product_id }) => insertWorkflowId(product_id));
}

/** @param read ids of the runs whose whole history is read */
async function figuresOf({ temporal }: Stack, type: string, read: string[]): Promise<RunFigures> {
  // The visibility store lags: nothing is missing once no run is running.
  await eventually(async () => {
    const { count } = await temporal.workflow.count(
      `WorkflowType = '${type}' and ExecutionStatus = 'Running'`,
    );
    return count === 0;
  });
  const figures = { runs: 0, completed: 0, events: 0, bytes: 0, payloadBytes: 0, pendingChildren: 0 };
  for await (const run of temporal.workflow.list({ query: `WorkflowType = '${type}'`, pageSize: 1000 })) {
    figures.runs += 1;
    if (run.status.name === 'COMPLETED') figures.completed += 1;
    figures.events = Math.max(figures.events, run.historyLength);
    figures.bytes = Math.max(figures.bytes, run.historySize ?? 0);
  }
  for (const workflowId of read) {
    const history: History = await temporal.workflow.getHandle(workflowId).fetchHistory();
    figures.payloadBytes = Math.max(figures.payloadBytes, greatestPayload(history));
    figures.pendingChildren = Math.max(figures.pendingChildren, maxPendingChildren(history));
  }
  return figures;
}

/** Bytes of the greatest single payload anywhere in a history: arguments, results, memos, headers, details. */
function greatestPayload(history: History): number {
  let greatest = 0;
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    if (value instanceof Uint8Array) {
      greatest = Math.max(greatest, value.length);
      return;
    }
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(history.events);
  return greatest;
}

/** Children initiated and not closed, at the worst moment. */
function maxPendingChildren({ events }: History): number {
  let pending = 0;
  let most = 0;
  for (const event of events ?? []) {
    if (event.startChildWorkflowExecutionInitiatedEventAttributes) pending += 1;
    const closed =
      event.startChildWorkflowExecutionFailedEventAttributes ??
      event.childWorkflowExecutionCompletedEventAttributes ??
      event.childWorkflowExecutionFailedEventAttributes ??
      event.childWorkflowExecutionCanceledEventAttributes ??
      event.childWorkflowExecutionTimedOutEventAttributes ??
      event.childWorkflowExecutionTerminatedEventAttributes;
    if (closed) pending -= 1;
    most = Math.max(most, pending);
  }
  return most;
}
