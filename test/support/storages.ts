/** Every kind of archive storage that this machine has, each with what a test of its insides needs. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
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
import { temporaryRoot } from './temporary.ts';

export interface TestStorage {
  storage: ArchiveStorage;
  /** How `locate` begins. */
  base: string;
  /** A storage of the same kind that cannot be written to. */
  broken: ArchiveStorage;
  /** How many writes of a key have been begun and have left something. */
  leftovers(key: string): Promise<number>;
  /** Leaves what a crash in the middle of a write leaves; null where the storage cannot tell. */
  crashWhileWriting: ((key: string) => Promise<void>) | null;
  stop(): Promise<void>;
}

export async function openLocalTestStorage(): Promise<TestStorage> {
  const directory = await mkdtemp(join(temporaryRoot(), 'package-import-storage-'));
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
    stop: () => rm(directory, { recursive: true, force: true }),
  };
}

/** @param prefix in the bucket; the bucket is new */
export async function openS3TestStorage(server: FoundServer, prefix: string): Promise<TestStorage> {
  const { client, connection, listsUploads, stop } = await server.start();
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
    stop,
  };
}
