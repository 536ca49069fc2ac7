/** Keys that come from elsewhere than our records name no file outside of the archive. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createCheckPackage } from '../../activities/extraction/check-package.ts';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import { isPackageKey, packageKey } from '../../src/archive/storage.ts';
import { NotFound } from '../../src/domain/client-errors.ts';

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
