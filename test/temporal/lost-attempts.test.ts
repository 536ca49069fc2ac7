/**
 * An activity that crashes its process has limited attempts; an activity that fails in an orderly way is retried
 * without limit.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { mapFailures } from '../../activities/failure-mapping.ts';
import { limitLostAttempts } from '../../activities/reading/limit-lost-attempts.ts';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { workerSetup } from '../../src/processes/workers/roles.ts';
import { connectWorker } from '../../src/temporal/connection.ts';
import { createImportWorker, createReadingWorker } from '../../src/temporal/workers.ts';
import { rootCause } from '../../workflows/failures.ts';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { startStack } from '../support/starters/stack.ts';

const stack = await startStack({ withoutWorkers: true });

/** Runs a dry run whose activity, in each of four attempts, does this; returns the reason of the failure. */
async function reasonOf(checkPackage: () => Promise<unknown>): Promise<string> {
  const connection = await connectWorker(stack.config.temporal);
  const setup = await workerSetup(stack.config, connection);
  const worker = await createImportWorker({ ...setup, activities: {} });
  const activities = mapFailures({ checkPackage });
  const reading = await createReadingWorker({ ...setup, activities }, { concurrency: 2 });
  const run = stack.temporal.workflow.execute(WORKFLOW_TYPES.packageCheck, {
    workflowId: randomUUID(),
    taskQueue: TASK_QUEUES.packageImport,
    args: [{ checkUuid: randomUUID(), storageKey: 'none', clientId: 'client', tenant: 'client' }],
  });
  const ended = run.then(
    () => 'nothing',
    (error) => rootCause(error instanceof WorkflowFailedError ? error.cause : error).message,
  );
  try {
    const [reason] = await Promise.all([worker.runUntil(ended), reading.runUntil(ended)]);
    return reason;
  } finally {
    await connection.close();
  }
}

const tried = () => Context.current().info;

describe('an attempt', { timeout: 120_000 }, () => {
  it('that fails does not count as lost', async () => {
    const suspicions: boolean[] = [];
    const reason = await reasonOf(() =>
      limitLostAttempts(1, async ({ suspicious }) => {
        suspicions.push(suspicious);
        throw new Error('the database is away');
      }),
    );
    expect(reason).toBe('the database is away');
    expect(suspicions).toEqual([false, false, false, false]);
  });

  it('that is lost during its work counts, and the last one ends the activity', async () => {
    const begun: number[] = [];
    const reason = await reasonOf(async () => {
      begun.push(tried().attempt);
      if (tried().attempt > 1) return limitLostAttempts(1, async () => begun.push(-1));
      // A process that ends sends no further heartbeat.
      Context.current().heartbeat({ lostAlone: 0, lost: 0 });
      return sleep(60_000, undefined, { signal: Context.current().cancellationSignal });
    });
    expect(reason).toMatch(/^Reading the package has failed: the worker process crashed in 1 attempt,/);
    expect(begun).toEqual([1, 2]);
  });

  it('that is lost beside others does not count, and the next ones run alone', async () => {
    const seen: object[] = [];
    await reasonOf(async () => {
      if (tried().attempt === 1) {
        Context.current().heartbeat({ lostAlone: 0, lost: 1, isShared: true });
        return sleep(60_000, undefined, { signal: Context.current().cancellationSignal });
      }
      return limitLostAttempts(1, async ({ suspicious, beginAlone }) => {
        await beginAlone();
        seen.push({ suspicious });
      });
    });
    expect(seen).toEqual([{ suspicious: true }]);
  });
});
