/** Whole ZIPs without an import (decision §room-for-packages). */
import { randomUUID } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import { startRemovingOrphans } from '../../src/archive/removals.ts';
import { packageFolder, packageKey, packageUuid } from '../../src/archive/storage.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const MINUTE_MS = 60_000;

it('are removed within an hour, unless they are young, belong to an import, or are read by a dry run', async () => {
  const storage = createLocalStorage(await temporaryDirectory());
  async function stored(ageMs: number): Promise<string> {
    const key = packageKey(randomUUID(), new Date());
    await storage.put(key, Readable.from(['a ZIP']));
    const then = new Date(Date.now() - ageMs);
    await utimes(storage.locate(key), then, then);
    return key;
  }
  const young = await stored(20 * MINUTE_MS);
  const imported = await stored(45 * MINUTE_MS);
  const checked = await stored(45 * MINUTE_MS);
  await stored(45 * MINUTE_MS);
  await storage.put(`${packageFolder(new Date())}/readme.txt`, Readable.from(['not ours']));
  const removed: number[] = [];
  onTestFinished(
    startRemovingOrphans(storage, {
      everyMs: 20,
      kept: async (keys) => new Set(keys.filter((key) => key === imported)),
      isBeingChecked: async (uuid) => uuid === packageUuid(checked),
      onRemoved: (count) => removed.push(count),
      onError: (error) => {
        throw error;
      },
    }),
  );
  await eventually(async () => removed.length > 0);
  expect(removed).toEqual([1]);
  const left = await readdir(storage.locate(packageFolder(new Date())));
  expect(left.sort()).toEqual(
    [...[young, imported, checked].map((key) => `${packageUuid(key)}.zip`), 'readme.txt'].sort(),
  );
});
