/** Product files beyond their limit are not unpacked; the content of an attachment is stored once. */

import { Readable } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import type { ImportDependencies } from '../../../activities/dependencies.ts';
import { readProduct } from '../../../activities/reading/product-files.ts';
import { storeReferredFiles } from '../../../activities/reading/store-referred-files.ts';
import type { ImportReading } from '../../../activities/reading/with-package.ts';
import { PACKAGE_LIMITS } from '../../../src/archive/limits.ts';
import { createLocalStorage } from '../../../src/archive/local-storage.ts';
import type { PackageFile } from '../../../src/archive/package-reader.ts';
import { type ArchiveStorage, attachmentKey } from '../../../src/archive/storage.ts';
import { plainReason, reasonsText } from '../../../src/contract/reasons.ts';
import type { Reason } from '../../../src/contract/types.ts';
import { UNREADABLE_FILES_LISTED } from '../../../src/domain/notes.ts';
import { storedFile } from '../../support/packed-file.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const LIMIT = PACKAGE_LIMITS.productFileBytes;

/** Reads a file of a declared size. Returns its reason, and the number of files that were unpacked. */
async function read(sizeBytes: number) {
  const path = 'root/export/ecigarette-product-submissions/a.xml';
  const file = { kind: 'product', index: 0, path, name: 'a.xml', sizeBytes } as const;
  let unpacked = 0;
  const reader = {
    async packed() {
      unpacked += 1;
      return storedFile('<a/>');
    },
  };
  const parse = async () => ({
    result: { ok: false as const, reasons: [plainReason('parsed')], productId: null },
    gzip: null,
  });
  const { result } = await readProduct(file, reader, { parse });
  return { reason: result.ok === true ? null : reasonsText(result.reasons), unpacked };
}

it('a product file of 4 MiB is read', async () => {
  expect(await read(LIMIT)).toEqual({ reason: 'parsed', unpacked: 1 });
});

it('a product file of a byte more is refused with both sizes', async () => {
  const { reason, unpacked } = await read(LIMIT + 1);
  expect(reason).toMatch(new RegExp(`${LIMIT + 1}.* ${LIMIT}`));
  expect(unpacked).toBe(0);
});

const ID = '238d0f2d-5dd0-4f07-838e-24680cb37d51';
/** SHA-256 of `hello`. */
const HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

const attachmentXml = (content: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><Attachment action="UPDATE"><AttachmentID>${ID}</AttachmentID><Filename>a.pdf</Filename><Content>${content}</Content><ContentType>application/pdf</ContentType><Confidential>false</Confidential></Attachment>`;

interface Circumstances {
  storage?: ArchiveStorage;
  beforeRecording?: () => Promise<void>;
  isNewAfter?: () => Promise<void>;
  /** XML files in no folder of the layout, before the attachments. */
  misplaced?: number;
  /** Paths that an earlier attempt has listed. */
  listed?: readonly string[];
}

/** Stores attachment files with these contents. Returns the keys of the storage, and the recorded files. */
async function store(
  contents: readonly string[],
  {
    storage: given,
    beforeRecording = async () => {},
    isNewAfter = async () => {},
    misplaced = 0,
    listed = [],
  }: Circumstances = {},
) {
  const storage = given ?? createLocalStorage(await temporaryDirectory());
  let handled = 0;
  const recorded: { storageKey: string; isNew: boolean }[] = [];
  const unreadable: { entryPath: string; reasons: Reason[] }[] = [];
  const dependencies = {
    storage,
    database: {
      referredFiles: {
        recorded: async () => ({ paths: new Set(listed), unreadable: listed.length }),
        async recordAttachment(
          _id: number,
          { storageKey }: { storageKey: string },
          keep: () => Promise<void>,
        ) {
          await beforeRecording();
          const isNew = !(await storage.has(storageKey));
          await keep();
          recorded.push({ storageKey, isNew });
          await isNewAfter();
        },
        recordUnreadable: async (_id: number, file: (typeof unreadable)[number]) =>
          void unreadable.push(file),
      },
    },
  } as unknown as ImportDependencies;
  const files = [
    ...Array.from({ length: misplaced }, (_, index): PackageFile => {
      const name = `lost-${index}.xml`;
      return { kind: 'other', index: 1000 + index, path: `root/export/${name}`, name, sizeBytes: 1 };
    }),
    ...contents.map((_, index): PackageFile => {
      const name = `${index}.xml`;
      return { kind: 'attachment', index, path: `root/export/attachments/${name}`, name, sizeBytes: 1 };
    }),
  ];
  const reading = {
    reader: {
      files,
      pieces: ({ index }: PackageFile) => Readable.from([Buffer.from(contents[index] ?? '')]),
    },
    showProgress: () => {},
    pieceRecorded: () => {
      handled += 1;
    },
  } as unknown as ImportReading;
  const failure = await new MockActivityEnvironment()
    .run(() => storeReferredFiles(dependencies, { id: 7, tenant: 'client' }, reading))
    .then(
      () => null,
      (error: Error) => error.message,
    );
  const keys = await Array.fromAsync(storage.list('attachments', -1_000));
  return { keys, recorded, unreadable, failure, handled };
}

const hello = attachmentXml(Buffer.from('hello').toString('base64'));

it('an attachment that two files have is stored once', async () => {
  const { keys, recorded } = await store([hello, hello]);
  expect(keys).toEqual([attachmentKey(HELLO)]);
  expect(recorded.map(({ isNew }) => isNew)).toEqual([true, false]);
});

it('an attachment that cannot be read leaves nothing behind', async () => {
  const { keys, unreadable } = await store([attachmentXml('no base64!')]);
  expect(keys).toEqual([]);
  expect(unreadable).toHaveLength(1);
});

it('an attachment that cannot be recorded leaves only itself, for the next attempt', async () => {
  const { keys, failure } = await store([hello], {
    isNewAfter: () => Promise.reject(new Error('the database is away')),
  });
  expect(failure).toBe('the database is away');
  expect(keys).toEqual([attachmentKey(HELLO)]);
});

it('an attempt that counts as lost leaves the file of the next attempt alone', async () => {
  const storage = createLocalStorage(await temporaryDirectory());
  const connectionLost = Promise.withResolvers<never>();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // The first attempt has stored its file and waits for the lock of its content. The next one does, too.
  const lost = store([hello], {
    storage,
    beforeRecording: async () => {
      first.resolve();
      await connectionLost.promise;
    },
  });
  await first.promise;
  const locked = Promise.withResolvers<void>();
  const next = store([hello], {
    storage,
    beforeRecording: async () => {
      second.resolve();
      await locked.promise;
    },
  });
  await second.promise;
  connectionLost.reject(new Error('the connection is lost'));
  expect((await lost).failure).toBe('the connection is lost');
  locked.resolve();
  expect(await next).toMatchObject({ failure: null, keys: [attachmentKey(HELLO)] });
});

it('a time slice may end after each file, also after one that cannot be read', async () => {
  const { handled } = await store([hello, attachmentXml('no base64!'), hello]);
  expect(handled).toBe(3);
});

describe('XML files in no folder of the layout', () => {
  const more = (number: number) => `${number} more files were not read; only the first 1000 are listed`;

  it('are listed after the unreadable ones, and beyond the limit counted', async () => {
    const { unreadable } = await store([attachmentXml('no base64!')], { misplaced: 1_311 });
    expect(unreadable).toHaveLength(UNREADABLE_FILES_LISTED + 1);
    expect(unreadable.map(({ entryPath }) => entryPath).slice(0, 2)).toEqual([
      'root/export/attachments/0.xml',
      'root/export/lost-0.xml',
    ]);
    expect(unreadable.at(-1)?.reasons.map(({ text }) => text)).toEqual([more(312)]);
  });

  it('are listed once, also by a later attempt', async () => {
    const listed = Array.from({ length: 999 }, (_, index) => `root/export/lost-${index}.xml`);
    const { unreadable } = await store([], { misplaced: 1_311, listed });
    expect(unreadable.map(({ entryPath }) => entryPath)).toEqual(['root/export/lost-999.xml', '']);
    expect(unreadable.at(-1)?.reasons.map(({ text }) => text)).toEqual([more(311)]);
  });
});
