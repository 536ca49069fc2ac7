import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { failureOf } from '../../activities/failure-mapping.ts';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import { FileMissing, StorageFailure } from '../../src/archive/storage.ts';
import { temporaryDirectory } from '../support/temporary.ts';

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
