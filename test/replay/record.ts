/** Run by `npm run prove -- record-release`: plays every scenario and stores the histories of its runs under the present release. */
import { afterAll, afterEach, beforeAll, it } from 'vitest';
import { importsOf } from '../support/imports.ts';
import { startTestStack } from '../support/services/in-process-stack.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { storeHistories } from './histories.ts';
import { SCENARIOS, type Stage } from './scenarios.ts';

let stage: Stage;
beforeAll(async () => {
  const receiver = await startWebhookReceiver();
  const stack = await startTestStack({ env: { WEBHOOK_HOSTS: receiver.host } });
  stage = { stack, receiver, imports: importsOf(stack) };
});
afterEach(() => stage.imports.restoreRegulator());
afterAll(async () => {
  await stage.stack.stop();
  await stage.receiver.close();
});

it.each(Object.entries(SCENARIOS))('%s', { timeout: 300_000 }, async (name, play) => {
  const runs = await play(stage);
  const { workflow } = stage.stack.temporal;
  const histories = runs.map(({ workflowId, runId }) => workflow.getHandle(workflowId, runId).fetchHistory());
  await storeHistories(name, await Promise.all(histories));
});
