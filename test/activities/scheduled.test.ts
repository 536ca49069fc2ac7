/** Scheduled work: days are counted, digests are sent, files and people are removed, lost runs are repaired. */

import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import { describe, expect, it, vi } from 'vitest';
import { createCountDays } from '../../activities/count-days.ts';
import type { ImportDependencies } from '../../activities/dependencies.ts';
import { createReconcile, type ReconcileResult } from '../../activities/reconcile.ts';
import { createApplyRetention, type RetentionResult } from '../../activities/retention.ts';
import { createSendDigests } from '../../activities/send-digests.ts';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import type { AuditEntry } from '../../src/database/repositories/audit-trail.ts';
import type { Expiry } from '../../src/database/repositories/retention.ts';
import { MailRefused } from '../../src/domain/errors.ts';
import type { Mailer } from '../../src/notifications/mail/mailer.ts';
import type { InsertWorkflowRun } from '../../src/temporal/insert-workflows.ts';
import { temporaryDirectory } from '../support/temporary.ts';

describe('statistics', () => {
  const DAYS = ['2026-01-01', '2026-01-02', '2026-01-03'];

  function counting(broken: string | null) {
    const counted: string[] = [];
    const statistics = {
      daysDue: async () => DAYS,
      async countDay(day: string) {
        if (day === broken) throw new Error('it takes too long');
        counted.push(day);
      },
    };
    const withLongStatements = <T>(work: () => Promise<T>) => work();
    const countDays = createCountDays({ database: { statistics: statistics as never, withLongStatements } });
    return { counted, run: () => new MockActivityEnvironment().run(countDays) };
  }

  it('counts every day that is due', async () => {
    const { counted, run } = counting(null);
    expect(await run()).toBe(3);
    expect(counted).toEqual(DAYS);
  });

  it('counts the other days when one fails, and reports the failure', async () => {
    const { counted, run } = counting('2026-01-01');
    await expect(run()).rejects.toThrow('it takes too long');
    expect(counted).toEqual(DAYS.slice(1));
  });
});

describe('retention', () => {
  const HOUR_MS = 60 * 60 * 1000;
  const DAY_MS = 24 * HOUR_MS;
  /** Files with these names have a record. Only the first is needed. */
  const RECORDED = /\/(needed|unneeded|stuck)$/;

  /**
   * Runs retention over files. Returns what is left, and the limits of expired imports.
   *
   * @param files hours since each was stored
   * @param stuck a file that cannot be removed
   */
  async function applyTo(
    files: Readonly<Record<string, number>>,
    { auditRetentionDays = null, stuck }: { auditRetentionDays?: number | null; stuck?: string } = {},
  ) {
    const directory = await temporaryDirectory();
    const local = createLocalStorage(directory);
    const storage = {
      ...local,
      async remove(key: string) {
        if (key === stuck) throw new Error('permission denied');
        await local.remove(key);
      },
    };
    for (const [key, hours] of Object.entries(files)) {
      await storage.put(key, Readable.from(['x']));
      const then = new Date(Date.now() - hours * HOUR_MS);
      await utimes(join(directory, key), then, then);
    }
    const asked: Expiry[] = [];
    const forgotten: Date[] = [];
    const recorded = async (keys: readonly string[]) =>
      new Map(keys.filter((key) => RECORDED.test(key)).map((key) => [key, key.endsWith('/needed')] as const));
    const applyRetention = createApplyRetention({
      database: {
        withLongStatements: (work: () => Promise<void>) => work(),
        retention: {
          expiredImports: async (expiry: Expiry) => {
            asked.push(expiry);
            return [];
          },
          recordedAttachments: recorded,
          removeAttachment: async (_key: string, _before: Date, remove: () => Promise<void>) => {
            await remove();
            return true;
          },
          recordedPackages: recorded,
          importsWithOldNotes: async () => [],
        },
        idempotency: { removeExpired: async () => 0 },
        webhookDeliveries: { removeBefore: async () => 0 },
        notifications: { giveUpBefore: async () => {} },
        people: {
          forgetBefore: async (before: Date) => {
            forgotten.push(before);
            return { people: 2, addresses: 1 };
          },
        },
      },
      storage,
      retentionDays: 90,
      failedRetentionDays: 7,
      auditRetentionDays,
    } as unknown as ImportDependencies);
    const error: unknown[] = [];
    const result = await new MockActivityEnvironment()
      .run<[], RetentionResult, typeof applyRetention>(applyRetention)
      .catch((fault: Error) => void error.push(fault.message));
    const left: string[] = [];
    for (const key of Object.keys(files)) if (await storage.has(key)) left.push(key);
    return { left, result, error, asked, forgotten };
  }

  it('a file without a record stays for a day, because its record may be about to be written, and a package for a week', async () => {
    const folders = ['attachments/aa', 'attachments/incoming', 'checks'];
    const files = folders.flatMap((folder) => [
      [`${folder}/young`, 23],
      [`${folder}/old`, 25],
    ]);
    const packages = [
      ['packages/2026/01/young', 7 * 24 - 1],
      ['packages/2026/01/old', 7 * 24 + 1],
    ];
    const needed = ['attachments/aa/needed', 'packages/2026/01/needed'].map((key) => [key, 8 * 24]);
    const { left, result } = await applyTo(Object.fromEntries([...files, ...packages, ...needed]));
    expect(left.filter((key) => key.endsWith('/old'))).toEqual([]);
    expect(left).toHaveLength(folders.length + 1 + needed.length);
    expect(result).toMatchObject({ orphans: 1, attachments: 1, leftovers: 1, checks: 1, unknown: 0 });
  });

  it('files without a record stay if the database knows few of the archive: one of them is probably the wrong one', async () => {
    const unknown = ['packages/2026/01', 'attachments/aa'].flatMap((folder) =>
      ['a', 'b', 'c'].map((name) => `${folder}/${name}`),
    );
    const others = ['packages/2026/01/unneeded', 'attachments/aa/unneeded', 'attachments/incoming/old'];
    const files = [...unknown, ...others].map((key) => [key, 30 * 24]);
    const { left, result } = await applyTo(Object.fromEntries(files));
    expect(left).toEqual(unknown);
    expect(result).toMatchObject({ orphans: 1, attachments: 1, leftovers: 1, unknown: unknown.length });
  });

  it('removes the rest when one file cannot be removed, and reports the failure', async () => {
    const files = {
      'attachments/aa/stuck': 25,
      'attachments/bb/unneeded': 25,
      'packages/2026/01/unneeded': 8 * 24,
    };
    const { left, error, forgotten } = await applyTo(files, {
      auditRetentionDays: 365,
      stuck: 'attachments/aa/stuck',
    });
    expect({ left, error }).toEqual({ left: ['attachments/aa/stuck'], error: ['permission denied'] });
    expect(forgotten).toHaveLength(1);
  });

  it('packages expire after their days, and those of failed imports after a week', async () => {
    const now = Date.now();
    const { asked } = await applyTo({});
    const days = (before: Date | undefined) => (now - (before?.getTime() ?? 0)) / DAY_MS;
    expect(days(asked[0]?.uploadedBefore)).toBeCloseTo(90, 2);
    expect(days(asked[0]?.failedBefore)).toBeCloseTo(7, 2);
  });

  it('people are forgotten after their days, and never without a setting', async () => {
    expect(await applyTo({})).toMatchObject({ forgotten: [], result: { people: 0, addresses: 0 } });
    const now = Date.now();
    const { forgotten, result } = await applyTo({}, { auditRetentionDays: 365 });
    expect((now - (forgotten[0]?.getTime() ?? 0)) / DAY_MS).toBeCloseTo(365, 2);
    expect(result).toMatchObject({ people: 2, addresses: 1 });
  });
});

describe('the reconciler', () => {
  const WITHOUT_WEBHOOKS = { rules: { hosts: [] } };
  const IMPORT = { importId: 7, importUuid: 'uuid', clientId: 'client', cancelRequested: false };

  /** @param meanwhile what happens to the import after the open imports have been listed */
  function lookAtOneWithoutRun(meanwhile: 'nothing' | 'ends' | 'resumed') {
    let isOver = false;
    const resumed: number[] = [];
    const dependencies = {
      database: {
        reconciliation: { inserting: async () => [], openImports: async () => [IMPORT] },
        imports: { find: async () => ({ completedAt: isOver ? new Date() : null }) },
        auditTrail: {
          record: async ({ action, importId }: AuditEntry) => {
            if (action === 'import.resumed' && importId) resumed.push(importId);
          },
        },
        importRetries: { openSince: async () => [] },
      },
      insertWorkflows: { running: async () => new Set() },
      importWorkflows: {
        isRunning: async () => {
          isOver = meanwhile === 'ends';
          return false;
        },
        resume: async () => meanwhile !== 'resumed',
      },
      webhooks: WITHOUT_WEBHOOKS,
    } as unknown as ImportDependencies;
    return { reconcile: createReconcile(dependencies), resumed };
  }

  it.each([
    ['whose run is gone is resumed', 'nothing', [IMPORT.importId]],
    ['that has ended since it was listed is left alone: what failed of it is not run again', 'ends', []],
    ['that another reconciler has resumed is recorded once', 'resumed', []],
  ] as const)('an import %s', async (_what, meanwhile, expected) => {
    const { reconcile, resumed } = lookAtOneWithoutRun(meanwhile);
    const result = await new MockActivityEnvironment().run<[], ReconcileResult, typeof reconcile>(reconcile);
    expect([result.resumed, resumed]).toEqual([expected, expected]);
  });

  const SUSPECT = { submissionId: 1, importId: 7, productId: '12345-26-00001', jobId: 'lost run' };

  /** Repairs a submission whose run is not among the running ones. @param current the last run of its product */
  async function repair(current: InsertWorkflowRun | null) {
    const started: string[] = [];
    const dependencies = {
      database: {
        reconciliation: {
          inserting: async (_ms: number, after: number) => (after === 0 ? [SUSPECT] : []),
          openImports: async () => [],
        },
        importRetries: { openSince: async () => [] },
        insertRuns: { fail: async () => true, recordStart: async () => {} },
      },
      insertWorkflows: {
        running: async () => new Set(),
        current: async () => current,
        start: async ({ productId }: typeof SUSPECT) => {
          started.push(productId);
          return { runId: 'new run' };
        },
      },
      webhooks: WITHOUT_WEBHOOKS,
    } as unknown as ImportDependencies;
    const reconcile = createReconcile(dependencies);
    const { failed, repeated } = await new MockActivityEnvironment().run<
      [],
      ReconcileResult,
      typeof reconcile
    >(reconcile);
    return { failed, repeated, started };
  }

  it('records are read page by page, and only their runs are looked up', async () => {
    const submissions = Array.from({ length: 1_001 }, (_, n) => ({
      submissionId: n + 1,
      importId: 7,
      productId: `product ${n}`,
      jobId: `run ${n}`,
    }));
    const afterOf = <T>(items: T[], idOf: (item: T) => number) =>
      vi.fn(async (_ms: number, after: number, limit: number) =>
        items.filter((item) => idOf(item) > after).slice(0, limit),
      );
    const imports = Array.from({ length: 501 }, (_, n) => ({ ...IMPORT, importId: n + 1 }));
    const retries = Array.from({ length: 501 }, (_, n) => ({
      packageImport: n + 1,
      uuid: 'u',
      clientId: 'c',
    }));
    const looked: number[] = [];
    const started: number[] = [];
    const dependencies = {
      database: {
        reconciliation: {
          inserting: afterOf(submissions, ({ submissionId }) => submissionId),
          openImports: afterOf(imports, ({ importId }) => importId),
        },
        importRetries: { openSince: afterOf(retries, ({ packageImport }) => packageImport) },
      },
      insertWorkflows: {
        async running(runIds: string[]) {
          looked.push(runIds.length);
          return new Set(runIds);
        },
      },
      importWorkflows: {
        isRunning: async () => true,
        retry: async ({ packageImport }: { packageImport: number }) => void started.push(packageImport),
      },
      webhooks: WITHOUT_WEBHOOKS,
    } as unknown as ImportDependencies;
    await new MockActivityEnvironment().run(createReconcile(dependencies));
    expect(looked).toEqual([500, 500, 1]);
    expect(started).toHaveLength(retries.length);
  });

  it('sends heartbeats also while it starts messages to webhooks, of which there may be many', async () => {
    const environment = new MockActivityEnvironment();
    const nothing = async () => [];
    const dependencies = {
      database: {
        reconciliation: { inserting: nothing, openImports: nothing },
        importRetries: { openSince: nothing },
        webhookDeliveries: { failingImports: nothing, planResumed: nothing, untried: async () => [{}] },
        insertingPause: { current: async () => null },
      },
      sessions: { state: async () => ({ status: 'none' }), endsSoon: async () => null },
      webhooks: { rules: { hosts: ['receiver.example'] } },
      webhookWorkflows: { start: () => new Promise((resolve) => environment.on('heartbeat', resolve)) },
    } as unknown as ImportDependencies;
    await environment.run(createReconcile(dependencies));
  });

  const run = { runId: 'another run', running: true, succeeded: false, submissionId: 1 };
  const NOTHING = { failed: [], repeated: [], started: [] };

  it.each<[string, InsertWorkflowRun | null, Partial<Awaited<ReturnType<typeof repair>>>]>([
    ['is running after all is left alone', { ...run, runId: 'lost run', submissionId: null }, {}],
    ['was reset, so that another run works on the same submission, is left alone', run, {}],
    ['is gone while one of another submission runs has failed', { ...run, submissionId: 2 }, { failed: [1] }],
    ['is gone from the server has failed', null, { failed: [1] }],
    ['has ended with a failure has failed', { ...run, running: false }, { failed: [1] }],
    [
      'has succeeded is repeated, to record that',
      { ...run, running: false, succeeded: true },
      { repeated: [1], started: [SUSPECT.productId] },
    ],
    [
      'is gone while one of another submission has succeeded has failed',
      { ...run, running: false, succeeded: true, submissionId: 2 },
      { failed: [1] },
    ],
  ])('an insert whose run %s', async (_what, current, expected) => {
    expect(await repair(current)).toEqual({ ...NOTHING, ...expected });
  });
});

describe('digests', () => {
  const ADDRESSES = ['here@company.example', 'gone@company.example'];

  it.each<[string, Mailer['send'], { sent: number; refused: number }, string]>([
    [
      'one address',
      async () => ({ refused: ['gone@company.example: 550 no such mailbox'] }),
      { sent: 1, refused: 0 },
      '1 of 2 addresses refused',
    ],
    [
      'the mail',
      async () => {
        throw new MailRefused('Refused (550 after RCPT TO)', 'no mailbox of gone@company.example');
      },
      { sent: 0, refused: 1 },
      'Refused (550 after RCPT TO)',
    ],
  ])(
    'warns that the mail server refused %s of a client, without addresses',
    async (_what, send, result, reason) => {
      const warned: LogEntry[] = [];
      const sendDigests = createSendDigests({
        database: { digests: { ofDay: async () => ({ imports: [], total: 1 }) } },
        mailer: { send, close() {} },
        mailDomain: 'company.example',
        digests: [{ clientId: 'company', addresses: ADDRESSES }],
        importScreen: () => null,
      });
      const logger = new DefaultLogger('WARN', (entry) => warned.push(entry));
      const environment = new MockActivityEnvironment({}, { logger });
      expect(await environment.run(sendDigests, { day: '2026-01-31' })).toEqual(result);
      const message = 'The mail server refused a digest';
      expect(warned).toMatchObject([{ message, meta: { client_id: 'company', reason } }]);
      expect(Object.values(warned[0]?.meta ?? {}).join()).not.toContain('company.example');
    },
  );
});
