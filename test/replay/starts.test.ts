/**
 * The inputs of the inserts that the stored imports have started: the replay compares only IDs and types of
 * children.
 */
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import type { temporal } from '@temporalio/proto';
import { expect, it } from 'vitest';
import { insertStart } from '../../src/domain/start-options.ts';
import { readHistories } from './histories.ts';

const decoded = (payload: Payload | null | undefined) =>
  payload ? defaultPayloadConverter.fromPayload(payload) : undefined;

const decodedFields = (fields: Record<string, Payload> | null | undefined) =>
  Object.fromEntries(Object.entries(fields ?? {}).map(([name, payload]) => [name, decoded(payload)]));

it('recorded inserts were started with the arguments of the current code', async () => {
  const starts = (await readHistories()).flatMap(({ history }) => startsIn(historyFromJSON(history)));
  expect(starts.length).toBeGreaterThan(200);
  for (const { importId, submissionId, productId, started } of starts) {
    const { options, attributes } = insertStart({ importId, submissionId, productId });
    const { requestId: _, ...memo } = started.memo;
    expect({ ...started, memo }).toEqual({
      ...options,
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key.name, value])),
    });
  }
});

function startsIn({ events }: temporal.api.history.v1.IHistory) {
  return (events ?? []).flatMap((event) => {
    const start = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (start?.workflowType?.name !== 'regulator-insert') return [];
    const attributes = decodedFields(start.searchAttributes?.indexedFields);
    const started = {
      workflowId: start.workflowId,
      taskQueue: start.taskQueue?.name,
      args: start.input?.payloads?.map(decoded),
      memo: decodedFields(start.memo?.fields) as { requestId?: string },
      staticSummary: decoded(event.userMetadata?.summary),
      attributes,
    };
    const [importId, submissionId] = [Number(attributes.PackageImportId), Number(attributes.SubmissionId)];
    return [{ importId, submissionId, productId: String(attributes.ProductId), started }];
  });
}
