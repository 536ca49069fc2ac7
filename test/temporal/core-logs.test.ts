/** Log lines of the Temporal SDK's core go through our logger, like all others. */
import { Runtime, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { beforeAll, expect, it } from 'vitest';
import { installRuntime } from '../../src/observability/temporal-core.ts';
import { loadWorkflowBundle } from '../../src/temporal/workflow-bundle.ts';
import { readHistories } from '../replay/histories.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { eventually } from '../support/eventually.ts';

const WARNING = 40;
const DEBUG = 20;

const log: { level: number; msg: string; err?: object }[] = [];
beforeAll(async () => {
  await installRuntime(
    pino({ level: 'trace' }, { write: (line: string) => log.push(JSON.parse(line)) }),
    false,
  );
});

const logged = (text: string) => eventually(async () => log.find(({ msg }) => msg.includes(text)));

it('warnings of the core are logged as warnings', async () => {
  expect.assertions(2);
  const insert = (await readHistories()).find(({ workflowType }) => workflowType === 'regulator-insert');
  if (!insert) throw new Error('there is no such history');
  const events = insert.history.events.map((event) => structuredClone(event));
  const started = events[0]?.workflowExecutionStartedEventAttributes as { workflowType: { name: string } };
  started.workflowType.name = 'statistics';
  const workflowBundle = await loadWorkflowBundle(CACHE_DIRECTORY);
  const runs = Worker.runReplayHistories({ workflowBundle }, [
    { workflowId: insert.workflowId, history: { events } },
  ]);
  for await (const { error } of runs) {
    expect(error).toBeDefined();
    // The core ends with the replay, and logs nothing afterwards.
    expect(await logged('Failing workflow task')).toMatchObject({ level: WARNING });
  }
});

it('an error of an activity or a workflow has its message and its stack', async () => {
  Runtime.instance().logger.error('Activity failed', { error: new TypeError('the cause') });
  expect(await logged('Activity failed')).toMatchObject({
    err: { type: 'TypeError', message: 'the cause', stack: expect.stringContaining('core-logs.test.ts') },
  });
});

it('a long workflow task is no warning, because all calls of an insert are one task', async () => {
  Runtime.instance().logger.warn('[TMPRL1104] Workflow task duration exceeded 5 seconds.');
  expect(await logged('[TMPRL1104]')).toMatchObject({ level: DEBUG });
});
