/** Every kind of archive storage on this machine, each with helpers for tests of its internals. */
import { randomUUID } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import { createS3Storage } from '../../src/archive/s3-storage.ts';
import type { ArchiveStorage } from '../../src/archive/storage.ts';
import type { FoundServer } from './s3-server.ts';
import { temporaryDirectory } from './temporary.ts';

export interface TestStorage {
  storage: ArchiveStorage;
  /** Prefix of the results of `locate`. */
  base: string;
  /** A storage of the same kind that cannot be written to. */
  broken: ArchiveStorage;
  /** Number of writes of a key that were begun and left data. */
  leftovers(key: string): Promise<number>;
  /** Leaves the same data as a crash during a write; null if the storage cannot simulate it. */
  crashWhileWriting: ((key: string) => Promise<void>) | null;
}

export async function openLocalTestStorage(): Promise<TestStorage> {
  const directory = await temporaryDirectory();
  const notADirectory = join(directory, 'file');
  await writeFile(notADirectory, '');
  const base = join(directory, 'archive');
  const storage = createLocalStorage(base);
  return {
    storage,
    base,
    broken: createLocalStorage(notADirectory),
    async leftovers() {
      let count = 0;
      for await (const _ of storage.list('.incoming', -60_000)) count += 1;
      return count;
    },
    async crashWhileWriting() {
      const path = join(base, '.incoming', randomUUID());
      await mkdir(join(base, '.incoming'), { recursive: true });
      await writeFile(path, 'half of it');
      const anHourAgo = new Date(Date.now() - 3_600_000);
      await utimes(path, anHourAgo, anHourAgo);
    },
  };
}

/** @param prefix key prefix in a new bucket */
export async function openS3TestStorage(server: FoundServer, prefix: string): Promise<TestStorage> {
  const { client, connection, listsUploads } = await server.start();
  const bucket = `archive-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const inPrefix = (key: string) => (prefix === '' ? key : `${prefix}/${key}`);
  return {
    storage: createS3Storage({ bucket, prefix }, connection),
    base: `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`,
    broken: createS3Storage({ bucket: `${bucket}-missing`, prefix }, connection),
    async leftovers(key) {
      const { Uploads = [] } = await client.send(
        new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: inPrefix(key) }),
      );
      return Uploads.length;
    },
    crashWhileWriting: listsUploads
      ? async (key) => {
          const object = { Bucket: bucket, Key: inPrefix(key) };
          const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand(object));
          await client.send(
            new UploadPartCommand({ ...object, UploadId, PartNumber: 1, Body: 'half of it' }),
          );
        }
      : null,
  };
}
