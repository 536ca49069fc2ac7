/** Half files of killed processes (decision §room-for-packages). */

import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { startRemovingLeftovers } from '../../src/archive/leftover-removal.ts';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import { createProductFiles } from '../../src/archive/product-files.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const IDLE_MS = 60_000;
const MINUTE_MS = 60_000;

async function archive() {
  const directory = await temporaryDirectory();
  const incoming = join(directory, '.incoming');
  await mkdir(incoming);
  return {
    storage: createLocalStorage(directory),
    files: () => readdir(incoming),
    async age(name: string, ms: number) {
      const then = new Date(Date.now() - ms);
      await utimes(join(incoming, name), then, then);
    },
    write: (name: string) => writeFile(join(incoming, name), 'half of it'),
  };
}

it('leftovers are removed some minutes after the idle timeout of an upload, and younger files stay', async () => {
  const { storage, files, age, write } = await archive();
  for (const name of ['killed', 'syncing', 'fresh']) await write(name);
  await age('killed', IDLE_MS + 4 * MINUTE_MS);
  await age('syncing', IDLE_MS + 2 * MINUTE_MS);
  const removed: number[] = [];
  const stop = startRemovingLeftovers(storage, {
    idleMs: IDLE_MS,
    everyMs: 20,
    onRemoved: (count) => removed.push(count),
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(stop);
  await eventually(async () => removed.length > 0);
  expect(removed).toEqual([1]);
  expect((await files()).sort()).toEqual(['fresh', 'syncing']);
});

/** Uploads for hours, as fast as a patient client: two bytes an hour. */
async function uploadSlowly(
  { storage, files, age }: Awaited<ReturnType<typeof archive>>,
  packed: (source: PassThrough) => Readable,
) {
  const source = new PassThrough();
  const stored = storage.put('packages/slow.zip', packed(source));
  for (let hour = 0; hour < 5; hour += 1) {
    source.write('x');
    const [name = ''] = await eventually(async () => {
      const found = await files();
      return found.length > 0 ? found : null;
    });
    await age(name, 60 * MINUTE_MS);
    source.write('y');
    await eventually(async () => (await storage.list('.incoming', 1_000).next()).done);
    expect(await storage.sweep(IDLE_MS)).toBe(0);
  }
  source.end();
  return stored;
}

it('a file of an upload that runs for hours is not removed: every byte renews its age', async () => {
  const slow = await archive();
  expect(await uploadSlowly(slow, (source) => source)).toMatchObject({ sizeBytes: 10 });
  expect(await slow.storage.has('packages/slow.zip')).toBe(true);
});

it('nor is one of a mended file, whose package is compressed while it arrives', async () => {
  const slow = await archive();
  const products = createProductFiles(slow.storage);
  await uploadSlowly(slow, (source) => products.pack('mended.xml', source).zip);
  expect(await text(await products.read('packages/slow.zip', 0))).toBe('xy'.repeat(5));
});

it('leftovers are removed later when the storage is away for a while', async () => {
  let asked = 0;
  const errors: unknown[] = [];
  const sweep = async () => {
    asked += 1;
    if (asked === 1) throw new Error('away');
    return 0;
  };
  onTestFinished(
    startRemovingLeftovers(
      { sweep },
      { idleMs: IDLE_MS, everyMs: 10, onRemoved: () => {}, onError: (error) => errors.push(error) },
    ),
  );
  await eventually(async () => asked > 2);
  expect(errors).toHaveLength(1);
});
