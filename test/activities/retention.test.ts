/** What retention removes from the storage, by age: against a real directory. */
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import type { ImportDependencies } from '../../activities/dependencies.ts';
import { createApplyRetention, type RetentionResult } from '../../activities/retention.ts';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import type { Expiry } from '../../src/database/repositories/retention.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Runs retention over files that no record knows. Returns what is left, and the limits of expired imports. */
async function applyTo(files: Readonly<Record<string, number>>, auditRetentionDays: number | null = null) {
  const directory = await temporaryDirectory();
  const storage = createLocalStorage(directory);
  for (const [key, hours] of Object.entries(files)) {
    await storage.put(key, Readable.from(['x']));
    const then = new Date(Date.now() - hours * HOUR_MS);
    await utimes(join(directory, key), then, then);
  }
  const asked: Expiry[] = [];
  const forgotten: Date[] = [];
  const applyRetention = createApplyRetention({
    database: {
      retention: {
        expiredImports: async (expiry: Expiry) => {
          asked.push(expiry);
          return [];
        },
        neededAttachments: async () => new Set(),
        removeAttachment: async (_key: string, _before: Date, remove: () => Promise<void>) => {
          await remove();
          return true;
        },
        keptPackages: async () => new Set(),
        importsWithOldNotes: async () => [],
      },
      idempotency: { removeExpired: async () => 0 },
      webhookDeliveries: { removeBefore: async () => 0 },
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
  const result = await new MockActivityEnvironment().run<[], RetentionResult, typeof applyRetention>(
    applyRetention,
  );
  const left: string[] = [];
  for (const key of Object.keys(files)) if (await storage.has(key)) left.push(key);
  return { left, result, asked, forgotten };
}

it('a file that no record knows stays for a day: its record may be about to be written', async () => {
  const folders = ['packages/2026/01', 'attachments/aa', 'attachments/incoming', 'checks'];
  const files = folders.flatMap((folder) => [
    [`${folder}/young`, 23],
    [`${folder}/old`, 25],
  ]);
  const { left, result } = await applyTo(Object.fromEntries(files));
  expect(left).toEqual(folders.map((folder) => `${folder}/young`));
  expect(result).toMatchObject({ orphans: 1, attachments: 1, leftovers: 1, checks: 1 });
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
  const { forgotten, result } = await applyTo({}, 365);
  expect((now - (forgotten[0]?.getTime() ?? 0)) / DAY_MS).toBeCloseTo(365, 2);
  expect(result).toMatchObject({ people: 2, addresses: 1 });
});
