/** The calls of a step to the regulator, in their order. */
import { Readable } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import type { InsertDependencies } from '../../activities/dependencies.ts';
import { createStepsAhead } from '../../activities/insert-records.ts';
import { createInsertSteps } from '../../activities/insert-steps.ts';
import type { AcceptedStep } from '../../src/database/repositories/insert-steps.ts';
import type { StepAttachment } from '../../src/database/step-data.ts';

const attachment = (linkId: number): StepAttachment => ({
  linkId,
  attachmentId: `attachment ${linkId}`,
  storageKey: `attachments/${linkId}`,
  fileName: 'a.pdf',
  contentType: 'application/pdf',
  confidential: false,
  sizeBytes: 1,
  sha256: 'a'.repeat(64),
});

it('opens the case, sends the attachments, and then the section that refers to them', async () => {
  const calls: string[] = [];
  const recorded: AcceptedStep[] = [];
  const submission = {
    id: 1,
    uuid: 'uuid',
    productId: '12345-26-00001',
    productTypeCode: 1,
    submissionTypeCode: 1,
    caseId: null,
    section: {},
    attachments: [attachment(1), attachment(2)],
    remaining: ['design'],
  };
  const opened = { caseId: 'CASE-1', submissionDate: 'a', modifiedDate: 'b', submissionType: 'c' };
  const dependencies = {
    database: {
      insertSteps: {
        enterStep: async () => ({ kind: 'open', submission }),
        completeStep: async (_of: unknown, _step: unknown, _run: unknown, accepted: AcceptedStep) => {
          recorded.push(accepted);
          return { kind: 'inserted', caseId: 'CASE-1' };
        },
      },
      insertingPause: { lately: async () => null },
    },
    regulator: {
      openCase: async () => {
        calls.push('case');
        return opened;
      },
      sendAttachment: async (_token: string, caseId: string, { attachmentId }: StepAttachment) =>
        void calls.push(`${attachmentId} of ${caseId}`),
      sendSection: async (_token: string, caseId: string, step: string) => {
        calls.push(`${step} of ${caseId}`);
        return { modifiedDate: 'd' };
      },
    },
    sessions: { use: (call: (token: string) => unknown) => call('token') },
    slots: { use: (signal: AbortSignal, call: (signal: AbortSignal) => unknown) => call(signal) },
    storage: {
      open: async () => ({ sizeBytes: 1, stream: () => Readable.from(['x']), close: async () => {} }),
    },
  } as unknown as InsertDependencies;

  const { design } = createInsertSteps(dependencies, createStepsAhead());
  const result = await new MockActivityEnvironment().run(() => design({ submissionId: 1 }));

  expect(calls).toEqual(['case', 'attachment 1 of CASE-1', 'attachment 2 of CASE-1', 'design of CASE-1']);
  expect(recorded).toEqual([{ opened, modifiedDate: 'd', sent: [1, 2] }]);
  expect(result).toMatchObject({ inserted: { caseId: 'CASE-1' } });
});
