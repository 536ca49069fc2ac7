/** A bucket on a file system that is really full, and one that may not be written to (decision §room-for-packages). */
import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { CreateBucketCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { createS3Storage } from '../../src/archive/s3-storage.ts';
import type { ArchiveStorage } from '../../src/archive/storage.ts';
import { StorageFull } from '../../src/domain/client-errors.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { findS3Servers, type S3Server } from '../support/s3-server.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

const MIB = 1024 * 1024;

const [found] = await findS3Servers(CACHE_DIRECTORY);
const disk = found === undefined ? null : mountSmallDisk(64);

describe.skipIf(disk === null)(
  'a full bucket (needs an S3 server, and root to mount a small file system)',
  () => {
    const bucket = `archive-${randomUUID()}`;
    let server: S3Server;
    let storage: ArchiveStorage;
    beforeAll(async () => {
      if (!found || !disk) return;
      server = await found.start(disk.directory);
      await server.client.send(new CreateBucketCommand({ Bucket: bucket }));
      storage = createS3Storage({ bucket, prefix: 'a' }, server.connection);
    });
    const put = (key: string, bytes: number) => storage.put(key, Readable.from([randomBytes(bytes)]));

    it.each([
      ['a small file', 100_000],
      ['a file of several parts', 18 * MIB],
    ])(
      'refuses %s without room, keeps nothing of it, and accepts it when there is room',
      async (_name, bytes) => {
        await disk?.leave(bytes / 2);
        await expect(put('file', bytes)).rejects.toBeInstanceOf(StorageFull);
        expect(await storage.has('file')).toBe(false);
        const unfinished = await server.client.send(
          new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: 'a/' }),
        );
        expect(unfinished.Uploads ?? []).toEqual([]);
        await disk?.makeRoom();
        expect(await put('file', bytes)).toMatchObject({ sizeBytes: bytes });
        await storage.remove('file');
      },
    );
  },
);
