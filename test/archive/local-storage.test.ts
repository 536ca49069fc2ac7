/** Keys name no file outside of the archive; a stored file outlives a power cut; its buffers are freed. */
import { randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { failureOf } from '../../activities/failure-mapping.ts';
import { createCheckPackage } from '../../activities/reading/check-package.ts';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import { FileMissing, isPackageKey, packageKey, StorageFailure } from '../../src/archive/storage.ts';
import { NotFound } from '../../src/domain/client-errors.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const ODD = [
  '../../etc/passwd',
  'packages/../../secret',
  'packages/2026/01/../../../x.zip',
  '/etc/passwd',
  'packages//x',
  'packages/./x',
  'packages\\..\\x',
  'packages/\0',
  '',
];

describe('a storage key', () => {
  it('of a package is accepted only in the form that the service makes', () => {
    expect(isPackageKey(packageKey(randomUUID(), new Date()))).toBe(true);
    const others = [...ODD, 'attachments/ab/abcdef', `packages/2026/01/${randomUUID()}.zip/../x`];
    expect(others.filter(isPackageKey)).toEqual([]);
  });

  it.each(ODD)('%j is refused, because it leads out of the archive', async (key) => {
    const storage = createLocalStorage('/nowhere/at/all');
    const reason = 'must not point outside the archive';
    expect(() => storage.locate(key)).toThrow(reason);
    await expect(Promise.resolve().then(() => storage.open(key))).rejects.toThrow(reason);
    await expect(Promise.resolve().then(() => storage.remove(key))).rejects.toThrow(reason);
    await expect(storage.put(key, Readable.from([]))).rejects.toThrow();
  });

  it('that a check was started with is refused for good before anything is opened', async () => {
    // No storage, no database: whatever is touched fails the test with a TypeError.
    const checkPackage = createCheckPackage({} as Parameters<typeof createCheckPackage>[0]);
    const good = { checkUuid: randomUUID(), storageKey: packageKey(randomUUID(), new Date()), tenant: 'c' };
    for (const storageKey of ODD)
      await expect(checkPackage({ ...good, storageKey })).rejects.toThrow(NotFound);
    for (const checkUuid of ['../x', '', 'x'])
      await expect(checkPackage({ ...good, checkUuid })).rejects.toThrow(NotFound);
  });
});

/** Syncs and renames, in order. */
const calls = vi.hoisted(() => [] as string[]);
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    async open(path: string, flags: string, mode?: number) {
      const handle = await real.open(path, flags, mode);
      const sync = handle.sync.bind(handle);
      handle.sync = () => {
        calls.push(`sync ${path}`);
        return sync();
      };
      const close = handle.close.bind(handle);
      if (path.endsWith('on-a-network'))
        handle.close = async () => {
          await close();
          throw new Error('EIO');
        };
      return handle;
    },
    rename(from: string, to: string) {
      calls.push(`rename ${to}`);
      return real.rename(from, to);
    },
  };
});

const directory = await temporaryDirectory();

/** The calls since the last time, with paths in the storage; what has no lasting name is `incoming`. */
function callsOf(root: string): string[] {
  return calls.splice(0).map((call) => {
    const [verb = '', path = ''] = call.split(' ');
    const inside = relative(root, path);
    return `${verb} ${inside.startsWith('.incoming') ? 'incoming' : inside || '.'}`;
  });
}

describe('a local storage', () => {
  it('syncs the file before its rename, and every changed directory after it', async () => {
    const root = join(directory, 'lasting');
    const storage = createLocalStorage(root);
    const put = (key: string) => storage.put(key, Readable.from([Buffer.from('x')]));
    await put('checks/first.json');
    calls.length = 0;

    await put('packages/2026/a.zip');
    const made = ['sync packages/2026', 'sync packages', 'sync .'];
    expect(callsOf(root)).toEqual(['sync incoming', 'rename packages/2026/a.zip', ...made]);

    await put('packages/2026/b.zip');
    expect(callsOf(root)).toEqual(['sync incoming', 'rename packages/2026/b.zip', 'sync packages/2026']);

    await storage.move('packages/2026/b.zip', 'packages/2026/c.zip');
    expect(callsOf(root)).toEqual(['rename packages/2026/c.zip', 'sync packages/2026']);
  });

  it('closes a file that was read without an error, also if its file system reports one', async () => {
    const storage = createLocalStorage(join(directory, 'closed'));
    await storage.put('packages/x', Readable.from(['content']));
    await storage.move('packages/x', 'packages/on-a-network');
    await (await storage.open('packages/on-a-network')).close();
  });

  it('with other files reports a missing file as removed, for good', async () => {
    const storage = createLocalStorage(join(directory, 'with-files'));
    await storage.put('packages/a.zip', Readable.from([Buffer.from('x')]));
    const error = await storage.open('packages/b.zip').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FileMissing);
    expect(failureOf(error)).toMatchObject({
      type: 'FileMissing',
      nonRetryable: true,
      message: expect.stringContaining('b.zip: it was removed or lost'),
    });
  });

  it.each([
    ['that is not there at all', async () => {}],
    ['of which only the place is there', (root: string) => createLocalStorage(root).ping()],
  ])('%s does not report a missing file as removed: its volume may not be mounted', async (name, prepare) => {
    const root = join(directory, name);
    await prepare(root);
    await expect(createLocalStorage(root).open('packages/a.zip')).rejects.toThrow(StorageFailure);
  });
});

it('frees only buffers that own their memory, and only if it may', async () => {
  const storage = createLocalStorage(join(directory, 'buffers'));
  const alone = (length: number) => Buffer.from(new ArrayBuffer(length));
  const [whole, larger, kept] = [alone(70_000), alone(70_000), alone(70_000)];
  const part = larger.subarray(10, 60_000);
  const { sizeBytes } = await storage.put('freed', Readable.from([whole, part]), { mayTakeBuffers: true });
  await storage.put('kept', Readable.from([kept]));
  expect(sizeBytes).toBe(70_000 + part.length);
  expect([whole, larger, kept].map(({ length }) => length)).toEqual([0, 70_000, 70_000]);
});
