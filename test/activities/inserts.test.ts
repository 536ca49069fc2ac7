/** The submissions that an import and its retry start, and the calls of a step to the regulator. */

import { setTimeout as sleep } from 'node:timers/promises';
import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import type { ImportDependencies, InsertDependencies } from '../../activities/dependencies.ts';
import { createImportRecords } from '../../activities/import-records.ts';
import { createNextStepCache } from '../../activities/insert-records.ts';
import { createInsertSteps, type StepResult } from '../../activities/insert-steps.ts';
import { createRetryProducts } from '../../activities/retry-products.ts';
import { refuseLargeStep, SLOW_MS } from '../../activities/send-step.ts';
import type { AcceptedStep } from '../../src/database/repositories/insert-steps.ts';
import type { BatchItem } from '../../src/database/repositories/queue.ts';
import type { StepAttachment, StepSubmission } from '../../src/database/step-data.ts';
import { NotFound, RegulatorSessionRequired, RegulatorUnavailable } from '../../src/domain/client-errors.ts';
import { type QueueResult, queued } from '../../src/domain/queue.ts';
import type { InsertToStart } from '../../src/domain/start-options.ts';
import type { CallOptions, Regulator } from '../../src/regulator/port.ts';
import { createRateLimitedRegulator } from '../../src/regulator/rate-limited-regulator.ts';

const ITEMS: Omit<BatchItem, 'productId'>[] = [
  { submissionId: 1, status: 'local', hasResult: false, jobId: null },
  { submissionId: 2, status: 'local', hasResult: true, jobId: null },
  { submissionId: 3, status: 'regulator_inserting', hasResult: true, jobId: 'run 3' },
  { submissionId: 4, status: 'regulator_insert_failed', hasResult: true, jobId: 'run 4' },
  { submissionId: 5, status: 'regulator_inserted', hasResult: true, jobId: 'run 5' },
  { submissionId: 6, status: 'regulator_inserted', hasResult: false, jobId: 'run 6' },
];

/** Plans the batch. Returns the submissions to start, and the recorded results. */
async function plan(retryFailed: boolean) {
  const recorded: QueueResult[] = [];
  const queue = {
    batch: async () => ITEMS.map((item) => ({ ...item, productId: `product ${item.submissionId}` })),
    recordResults: async (_importId: number, results: QueueResult[]) => void recorded.push(...results),
  };
  const { planInserts } = createImportRecords({ database: { queue } } as unknown as ImportDependencies);
  const started: InsertToStart[] = await new MockActivityEnvironment().run<
    [Parameters<typeof planInserts>[0]],
    InsertToStart[],
    typeof planInserts
  >(planInserts, { importId: 7, batch: 1, retryFailed });
  return { ids: started.map(({ submissionId }) => submissionId), recorded };
}

describe('the plan of a batch', () => {
  it('contains products without a result, under way or failed, and no refused ones', async () => {
    expect((await plan(true)).ids).toEqual([1, 3, 4]);
  });

  it('contains no failed products without a retry', async () => {
    expect((await plan(false)).ids).toEqual([1, 3]);
  });

  it('records the result of an insert that ended before it had one', async () => {
    expect((await plan(true)).recorded).toEqual([queued(6, 'run 6')]);
  });
});

const ATTEMPTS = 10;

/**
 * Runs an attempt over products, of which the first cannot be started.
 *
 * @param looks after which the retry is given up
 */
async function tryProducts(attempt: number, fault: Error, { products = 2, looks = 100 } = {}) {
  const recorded: QueueResult[] = [];
  const actors = new Set<string>();
  const page = Array.from({ length: products }, (_, n) => ({
    submissionId: n + 1,
    productId: `product ${n + 1}`,
    tried: false,
  }));
  let looked = 0;
  const dependencies = {
    database: {
      importRetries: {
        async open() {
          looked += 1;
          return looked > looks ? null : { clientId: 'client', requestedBy: 'person:7 (Ada)' };
        },
        counts: async () => ({ queued: 0, failed: 0, pending: page.length - recorded.length }),
        take: async () => page,
        recordResults: async (_uuid: string, results: QueueResult[]) => void recorded.push(...results),
        end: async () => {},
      },
    },
    startInsert: async ({ submissionId }: { submissionId: number }, actor: string) => {
      actors.add(actor);
      if (submissionId === 1) throw fault;
      return queued(submissionId, 'run');
    },
  } as unknown as ImportDependencies;
  const retryProducts = createRetryProducts(dependencies);
  const environment = new MockActivityEnvironment({ attempt });
  const failure = await environment
    .run(() => retryProducts({ importId: 7, retryUuid: 'uuid' }))
    .then(
      () => null,
      (error: Error) => error.message,
    );
  return { failure, actors, statuses: recorded.map(({ submissionId, status }) => [submissionId, status]) };
}

it('a retry starts products for the person who requested it', async () => {
  expect((await tryProducts(ATTEMPTS, new Error('away'))).actors).toEqual(new Set(['person:7 (Ada)']));
});

it('a retry that is given up starts no further ten products', async () => {
  const { statuses } = await tryProducts(ATTEMPTS, new Error('away'), { products: 25, looks: 2 });
  expect(statuses).toHaveLength(10);
});

describe('a product that cannot be started', () => {
  const fault = new Error('Temporal is away');

  it('fails the attempt before the last, and the others are recorded', async () => {
    expect(await tryProducts(ATTEMPTS - 1, fault)).toMatchObject({
      failure: 'Temporal is away',
      statuses: [[2, 202]],
    });
  });

  it('is given up at the tenth attempt, with a result of its own', async () => {
    const statuses = [
      [1, 503],
      [2, 202],
    ];
    expect(await tryProducts(ATTEMPTS, fault)).toMatchObject({ failure: null, statuses });
  });

  it('is recorded at once after a permanent failure', async () => {
    expect(await tryProducts(1, new NotFound('Submission', 1))).toMatchObject({ failure: null });
  });
});

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

const OPENED = { caseId: 'CASE-1', submissionDate: 'a', modifiedDate: 'b', submissionType: 'c' };

/** A step of a submission without a case that has two attachments, with what it calls and records. */
function insertSteps(regulator: Partial<Regulator> = {}) {
  const calls: string[] = [];
  const recorded: AcceptedStep[] = [];
  const submission = {
    id: 1,
    uuid: 'uuid',
    productId: '12345-26-00001',
    productTypeCode: 1,
    submissionTypeCode: 1,
    caseId: null,
    section: '{}',
    sectionBytes: 2,
    attachments: [attachment(1), attachment(2)],
    remaining: ['design'],
  };
  const dependencies = {
    database: {
      insertSteps: {
        enterStep: async () => ({ kind: 'open', submission }),
        recordParts: async (_id: number, accepted: AcceptedStep) => void recorded.push(accepted),
        completeStep: async (_of: unknown, _step: unknown, _run: unknown, accepted: AcceptedStep) => {
          recorded.push(accepted);
          return { kind: 'inserted', caseId: 'CASE-1' };
        },
      },
      insertingPause: { cached: async () => null },
      unansweredImports: { cached: async () => ({ ids: new Set() }) },
    },
    regulator: createRateLimitedRegulator(
      {
        openCase: async () => {
          calls.push('case');
          return OPENED;
        },
        sendAttachment: async (_token: string, caseId: string, { attachmentId }: StepAttachment) =>
          void calls.push(`${attachmentId} of ${caseId}`),
        sendSection: async (_token: string, caseId: string, step: string) => {
          calls.push(`${step} of ${caseId}`);
          return { modifiedDate: 'd' };
        },
        ...regulator,
      } as unknown as Regulator,
      {
        acquire: async (call) => (call?.waitSignal ?? call?.signal)?.throwIfAborted(),
        pause: async () => {},
      },
    ),
    sessions: {
      use: (call: (token: string) => Promise<unknown>) =>
        call('token').catch((error: unknown) => {
          if (error instanceof RegulatorSessionRequired) return call('renewed token');
          throw error;
        }),
    },
    slots: { use: (signal: AbortSignal, call: (signal: AbortSignal) => unknown) => call(signal) },
    storage: {
      open: async () => ({
        sizeBytes: 1,
        pieceBytes: 1,
        read: async () => Buffer.from('x'),
        close: async () => {},
      }),
    },
  } as unknown as InsertDependencies;
  const { design } = createInsertSteps(dependencies, createNextStepCache());
  return { design, calls, recorded };
}

it('opens the case, sends the attachments, and then the section that refers to them', async () => {
  const { design, calls, recorded } = insertSteps();
  const result = await new MockActivityEnvironment().run(() => design({ submissionId: 1 }));

  expect(calls).toEqual(['case', 'attachment 1 of CASE-1', 'attachment 2 of CASE-1', 'design of CASE-1']);
  expect(recorded).toEqual([{ opened: OPENED, modifiedDate: 'd', sent: [1, 2] }]);
  expect(result).toMatchObject({ inserted: { caseId: 'CASE-1' } });
});

it('a step whose session is renewed meanwhile opens no second case, and sends no attachment again', async () => {
  const { design, calls, recorded } = insertSteps({
    sendSection: async (token, caseId, step) => {
      if (token === 'token') throw new RegulatorSessionRequired('It has ended.');
      calls.push(`${step} of ${caseId}`);
      return { modifiedDate: 'd' };
    },
  });
  await new MockActivityEnvironment().run(() => design({ submissionId: 1 }));

  expect(calls).toEqual(['case', 'attachment 1 of CASE-1', 'attachment 2 of CASE-1', 'design of CASE-1']);
  expect(recorded).toEqual([
    { opened: OPENED, sent: [1, 2] },
    { modifiedDate: 'd', sent: [] },
  ]);
});

describe('a step that ends before its section is sent', () => {
  /** Runs the step. Its second attachment ends it. Returns the message, the calls before, and the record. */
  async function endedAt(environment: MockActivityEnvironment, send: () => Promise<void>) {
    const sentTo: string[] = [];
    const { design, calls, recorded } = insertSteps({
      sendAttachment: async (_token, _caseId, { attachmentId }) => {
        await send();
        sentTo.push(attachmentId);
        if (sentTo.length === 2) throw new RegulatorUnavailable('The regulator is away');
      },
    });
    const message = await environment
      .run(() => design({ submissionId: 1 }))
      .then(
        () => 'done',
        (error: Error) => error.message,
      );
    return { message, calls, sentTo, recorded };
  }

  it('records the case and the attachments that the regulator has: the next attempt does not send them again', async () => {
    expect(await endedAt(new MockActivityEnvironment(), async () => {})).toEqual({
      message: 'The regulator is away',
      calls: ['case'],
      sentTo: ['attachment 1', 'attachment 2'],
      recorded: [{ opened: OPENED, sent: [1] }],
    });
  });

  it('sends no further attachment locally after a second, and continues as an activity', async () => {
    const slowly = () => sleep(SLOW_MS + 10);
    expect(await endedAt(new MockActivityEnvironment({ isLocal: true }), slowly)).toEqual({
      message: expect.stringContaining('continues as a separate activity'),
      calls: ['case'],
      sentTo: ['attachment 1'],
      recorded: [{ opened: OPENED, sent: [1] }],
    });
  });
});

it('after a slow last attachment the section is not sent locally: the step continues as an activity', async () => {
  const { design, calls, recorded } = insertSteps({
    sendAttachment: async (_token, _caseId, { attachmentId }) => {
      if (attachmentId === 'attachment 2') await sleep(SLOW_MS + 10);
    },
  });
  const run = new MockActivityEnvironment({ isLocal: true }).run(() => design({ submissionId: 1 }));
  await expect(run).rejects.toThrow('continues as a separate activity');
  expect(calls).toEqual(['case']);
  expect(recorded).toEqual([{ opened: OPENED, sent: [1, 2] }]);
});

describe('a call to the regulator that is under way', () => {
  /** Runs a step that is ended during the call `name`. Returns whether that aborted the call, and how the step ended. */
  async function endedDuring(
    name: 'openCase' | 'sendSection',
    environment: MockActivityEnvironment,
    during: (signal: AbortSignal) => unknown,
  ) {
    let aborted: boolean | undefined;
    const answers = { openCase: OPENED, sendSection: { modifiedDate: 'd' } };
    const { design, calls, recorded } = insertSteps({
      [name]: async (...args: unknown[]) => {
        const { signal = AbortSignal.any([]) } = args.at(-1) as CallOptions;
        await during(signal);
        ({ aborted } = signal);
        signal.throwIfAborted();
        return answers[name];
      },
    });
    const ended = await environment
      .run(() => design({ submissionId: 1 }))
      .then(
        (result) => ((result as StepResult).inserted ? 'inserted' : 'done'),
        (error: Error) => error.name,
      );
    return { aborted, ended, calls, recorded };
  }

  it('finishes when the insert is cancelled, and no other call follows', async () => {
    const environment = new MockActivityEnvironment();
    const result = await endedDuring('openCase', environment, () => environment.cancel());
    expect(result).toEqual({
      aborted: false,
      ended: 'CancelledFailure',
      calls: [],
      recorded: [{ opened: OPENED, sent: [] }],
    });
  });

  it('finishes when the insert is cancelled, and as the last one it inserts the product', async () => {
    const environment = new MockActivityEnvironment();
    const result = await endedDuring('sendSection', environment, () => environment.cancel());
    expect(result).toMatchObject({ aborted: false, ended: 'inserted' });
  });

  it('is aborted when its worker stops', async () => {
    const environment = new MockActivityEnvironment();
    const stopping = new ActivityCancellationDetails({ workerShutdown: true });
    const stop = () => environment.cancel('WORKER_SHUTDOWN', stopping);
    const result = await endedDuring('sendSection', environment, stop);
    expect(result).toMatchObject({ aborted: true, ended: 'CancelledFailure' });
  });

  it('is aborted at the timeout of its local step, also after a cancellation', async () => {
    const environment = new MockActivityEnvironment({ isLocal: true, startToCloseTimeoutMs: 50 });
    const result = await endedDuring('sendSection', environment, (signal) => {
      environment.cancel();
      expect(signal.aborted).toBe(false);
      return new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    });
    expect(result).toMatchObject({ aborted: true, ended: 'CancelledFailure' });
  });
});

describe('a large step', () => {
  const MIB = 1024 * 1024;

  it.each([
    ['of a section', { sectionBytes: MIB + 1, attachments: [] }],
    ['of attachments', { sectionBytes: 2, attachments: [{ ...attachment(1), sizeBytes: MIB }] }],
  ])('does not run locally: %s', async (_, size) => {
    const step = size as unknown as StepSubmission;
    const refuse = (isLocal: boolean) =>
      new MockActivityEnvironment({ isLocal }).run(async () => refuseLargeStep(step));
    await expect(refuse(true)).rejects.toThrow(/continues as a separate activity/);
    await refuse(false);
  });
});
