/** Derives the served task queues from Temporal's answers. The real server: test/end-to-end/without-inserts.test.ts. */
import type { Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { processingChecks } from '../../src/temporal/readiness.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const SECONDS = { fresh: 5, stale: 100 };

/** A fake server whose queues all have the given age of the last poll and the given backlog. */
function checksWhere(secondsAgo: readonly number[], waiting: number) {
  const pollers = secondsAgo.map((ago) => ({ lastAccessTime: { seconds: NOW / 1000 - ago } }));
  const asked: { taskQueue: { name: string }; taskQueueType: number }[] = [];
  const workflowService = {
    getSystemInfo: async () => ({}),
    async describeTaskQueue(question: (typeof asked)[number]) {
      asked.push(question);
      return { pollers, stats: { approximateBacklogCount: waiting } };
    },
  };
  const connection = { workflowService } as unknown as Pick<Connection, 'workflowService'>;
  return { asked, ...processingChecks(connection, 'default', () => NOW) };
}

/** Names of the failing checks. */
async function failing(checks: Readonly<Record<string, () => Promise<void>>>): Promise<string[]> {
  const names = Object.keys(checks);
  const outcomes = await Promise.allSettled(Object.values(checks).map((check) => check()));
  return names.filter((_, index) => outcomes[index]?.status === 'rejected');
}

describe('a task queue is served', () => {
  it.each([
    ['where somebody polls', [SECONDS.stale, SECONDS.fresh], 0, true],
    ['where somebody polls, whatever waits', [SECONDS.fresh], 1_000, true],
    ['where all workers are busy, and nothing waits', [SECONDS.stale], 0, true],
    ['not where something waits and nobody has polled for long', [SECONDS.stale], 1, false],
    ['not where nobody polls', [], 0, false],
  ])('%s', async (_, pollers, waiting, isServed) => {
    const { uploads, inserts } = checksWhere(pollers, waiting);
    const workers = [`worker ${TASK_QUEUES.packageImport}`, `worker ${TASK_QUEUES.packageReading}`];
    expect(await failing(uploads)).toEqual(isServed ? [] : workers);
    expect(await failing(inserts)).toEqual(isServed ? [] : [`worker ${TASK_QUEUES.regulatorInsert}`]);
  });
});

it('asks for what the workers of each queue poll: readings are activities', async () => {
  const { asked, uploads, inserts } = checksWhere([SECONDS.fresh], 0);
  await failing({ ...uploads, ...inserts });
  const types = asked.map(({ taskQueue, taskQueueType }) => [taskQueue.name, taskQueueType]);
  expect(Object.fromEntries(types)).toEqual({
    'package-import': 1,
    'package-reading': 2,
    'regulator-insert': 1,
  });
});
