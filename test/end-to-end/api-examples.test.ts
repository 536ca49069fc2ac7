/**
 * Records the examples of the API description from the real service, one after the other, and compares them
 * with the committed examples. After a change `npm test -- test/end-to-end/api-examples.test.ts -u` writes
 * them anew.
 */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Operations } from '../support/recorded-answers.ts';
import { startStack } from '../support/starters/stack.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import {
  recordCancellation,
  recordFailures,
  recordProduct,
  recordRetry,
  recordStatistics,
} from './support/examples/import-actions.ts';
import {
  recordImports,
  recordRefusedUploads,
  recordRemoved,
  recordSubmissions,
  recordUploads,
} from './support/examples/imports.ts';
import { SESSION, startRecording } from './support/examples/recording.ts';
import {
  recordCommonErrors,
  recordHealth,
  recordInserting,
  recordSession,
} from './support/examples/service.ts';
import { recordWebhooks } from './support/examples/webhooks.ts';

/**
 * An answer that the test cannot provoke: the run of a product would have to end between two requests, again
 * and again.
 */
const WITHOUT = ['postSubmissionAction 503'];

interface Description {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        responses: Record<string, { content?: Record<string, { examples?: object }> }>;
      }
    >
  >;
}

const receiver = await startWebhookReceiver();
const stack = await startStack({ withoutWorkers: true, env: { WEBHOOK_HOSTS: receiver.host } });
const description = (await (await fetch(`${stack.gatewayUrl}/api/doc.json`)).json()) as Description;
const recording = await startRecording(stack, description.paths as Operations);

it('the examples of the description equal the answers of the service', async () => {
  // The gateway waits half a minute for a body that never comes.
  const { port } = stack.config.gateway;
  const json = {
    Authorization: `Bearer ${recording.tokens.all}`,
    'Content-Type': 'application/json',
    'Content-Length': 9,
  };
  const late = recording.askRaw(port, `${SESSION}/verification`, json, '', { everywhere: true });
  await recordHealth(recording);
  await recordCommonErrors(recording);
  await recordSession(recording);
  await recordInserting(recording);
  await recordRefusedUploads(recording);
  const { imported, unreadable } = await recordUploads(recording);
  await recordImports(recording, imported, unreadable);
  await recordSubmissions(recording, imported);
  await recordRemoved(recording, imported);
  await recordCancellation(recording, imported);
  await recordRetry(recording, unreadable);
  await recordFailures(recording);
  await recordProduct(recording);
  await recordWebhooks(recording, receiver);
  await recordStatistics(recording);
  await late;
  const file = fileURLToPath(new URL('../../src/gateway/api-examples.json', import.meta.url));
  await expect(recording.text()).toMatchFileSnapshot(file);
}, 180_000);

it('every JSON answer has an example', () => {
  const without = Object.values(description.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([, { content }]) => content?.['application/json']?.examples === undefined)
        .filter(([, { content }]) => content?.['application/json'] !== undefined)
        .map(([status]) => `${operationId} ${status}`),
    );
  expect(without).toEqual(WITHOUT);
});
