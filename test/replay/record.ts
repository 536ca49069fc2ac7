/**
 * Run by `npm run prove -- record-release`: plays every scenario and stores the histories of its runs under the present
 * release.
 */
import { it } from 'vitest';
import { startStack } from '../support/starters/stack.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { storeHistories } from './histories.ts';
import { SCENARIOS } from './scenarios.ts';

const receiver = await startWebhookReceiver();
const stack = await startStack({ env: { WEBHOOK_HOSTS: receiver.host } });
const stage = { stack, receiver, imports: stack.imports };

it.each(Object.entries(SCENARIOS))('%s', { timeout: 300_000 }, async (name, play) => {
  const runs = await play(stage);
  const { workflow } = stage.stack.temporal;
  const histories = runs.map(({ workflowId, runId }) => workflow.getHandle(workflowId, runId).fetchHistory());
  await storeHistories(name, await Promise.all(histories));
});
