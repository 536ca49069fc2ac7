/** Properties of buckets only: billed requests, lost answers, parts, error names of other servers, a full disk. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openPackage } from '../../src/archive/package-reader.ts';
import { unpacked } from '../../src/archive/packed-file.ts';
import { isAway, parseS3Url } from '../../src/archive/s3-client.ts';
import { createS3Storage } from '../../src/archive/s3-storage.ts';
import { type ArchiveStorage, filePieces, StorageFailure } from '../../src/archive/storage.ts';
import { StorageFull } from '../../src/domain/client-errors.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { productPath } from '../support/product-xml.ts';
import { type S3Proxy, startS3Proxy } from '../support/s3-proxy.ts';
import { findS3Servers, type S3Server } from '../support/s3-server.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { zipOf } from '../support/zip.ts';

const MIB = 1024 * 1024;
/** Every unfinished upload is older than this long before now. */
const LONG_AGO_MS = 4 * 3_600_000;
const LARGE = randomBytes(18 * MIB);

describe('STORAGE_URL', () => {
  it.each([
    ['s3://bucket', { bucket: 'bucket', prefix: '' }],
    ['s3://bucket/', { bucket: 'bucket', prefix: '' }],
    ['s3://my.bucket-1/some/where/', { bucket: 'my.bucket-1', prefix: 'some/where' }],
    ['s3://bucket/with%20blank', { bucket: 'bucket', prefix: 'with blank' }],
  ])('%s', (url, location) => {
    expect(parseS3Url(url)).toEqual(location);
  });

  it.each(['s3:', 's3:///prefix'])('%s is refused without the name of a bucket', (url) => {
    expect(() => parseS3Url(url)).toThrow(`STORAGE_URL: ${url} has no bucket`);
  });
});

describe('a storage that does not answer', () => {
  it.each([
    ['one address', ['127.0.0.1']],
    ['several addresses', ['127.0.0.1', '127.0.0.2']],
  ])('is away, at %s', async (_title, addresses) => {
    const [port] = await freePorts(1);
    const lookup: LookupFunction = (_host, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
    const [error] = await once(connect({ host: 'storage.example', port: port ?? 0, lookup }), 'error');
    expect(isAway(error)).toBe(true);
  });

  it('is not away when an address refuses for another reason', () => {
    expect(isAway(new AggregateError([new Error('not a connection')]))).toBe(false);
  });
});

const [found] = await findS3Servers(CACHE_DIRECTORY);

describe.skipIf(found === undefined)('a bucket (needs an S3 server: test/support/s3-server.ts)', () => {
  const bucket = `archive-${randomUUID()}`;
  let server: S3Server;
  let proxy: S3Proxy;
  let storage: ArchiveStorage;
  beforeAll(async () => {
    if (!found) return;
    server = await found.start();
    await server.client.send(new CreateBucketCommand({ Bucket: bucket }));
    proxy = await startS3Proxy(server.connection.endpoint);
    storage = inBucket({ bucket, prefix: 'a' });
  });
  afterEach(() => proxy.reset());

  const inBucket = (location: { bucket: string; prefix: string }, changes = {}) =>
    createS3Storage(location, { ...server.connection, endpoint: proxy.endpoint, ...changes });
  const put = (key: string, content: Buffer) => storage.put(key, Readable.from([content]));

  async function unfinishedUploads(key: string): Promise<number> {
    const listed = await server.client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: `a/${key}` }),
    );
    return listed.Uploads?.length ?? 0;
  }

  describe('writing', () => {
    it('buffers no more than a few parts while the bucket is slow', async () => {
      let taken = 0;
      async function* source() {
        for (; taken < 100; taken += 1) yield LARGE.subarray(0, MIB);
      }
      proxy.fault = (seen) => (seen.startsWith('PUT part') ? 'never answer' : undefined);
      const storing = storage.put('slow', Readable.from(source(), { objectMode: false }));
      await eventually(async () => proxy.seen.includes('PUT part 1'));
      // One part of 5 MB is on its way; the next is collected when it has arrived.
      await sleep(300);
      expect(taken).toBeGreaterThanOrEqual(5);
      expect(taken).toBeLessThanOrEqual(10);
      proxy.release();
      expect((await storing).sizeBytes).toBe(100 * MIB);
    });

    it('repeats a part whose answer was lost', async () => {
      let lost = 0;
      proxy.fault = (seen) => {
        if (seen !== 'PUT part 2' || lost > 0) return undefined;
        lost += 1;
        return 'drop the connection';
      };
      const { sha256 } = await put('lost', LARGE);
      expect(lost).toBe(1);
      expect(sha256).toBe(createHash('sha256').update(LARGE).digest('hex'));
      const reader = await storage.open('lost');
      expect((await buffer(filePieces(reader, 0, reader.sizeBytes))).equals(LARGE)).toBe(true);
    });

    it('fails with the reason when a part cannot be stored, and leaves no parts', async () => {
      const body =
        '<Error><Code>AccessDenied</Code><Message>Not in this account</Message><RequestId>1</RequestId></Error>';
      proxy.fault = (seen) => (seen === 'PUT part 2' ? { status: 403, body } : undefined);
      await expect(put('refused', LARGE)).rejects.toThrow(
        `UploadPart of s3://${bucket}/a/refused: AccessDenied (HTTP 403): Not in this account`,
      );
      expect(await storage.has('refused')).toBe(false);
      expect(await unfinishedUploads('refused')).toBe(0);
    });

    it('needs one request for a small file', async () => {
      await put('small', Buffer.from('ZIP'));
      expect(proxy.seen).toEqual(['PUT']);
    });
  });

  describe('reading', () => {
    it('reads neighbouring entries with one request', async () => {
      const files = Array.from({ length: 600 }, (_, index) => [productPath(`${index}`), randomBytes(6_000)]);
      const zip = await zipOf(Object.fromEntries(files));
      await put('many.zip', zip);
      proxy.reset();
      const reader = await openPackage(await storage.open('many.zip'));
      for (const [index, file] of reader.files.entries())
        expect(unpacked(await reader.packed(file)).equals(files[index]?.[1] as Buffer)).toBe(true);
      await reader.close();
      expect(zip.length).toBeGreaterThan(3 * MIB);
      // The directory's end, the directory, and the files by the megabyte.
      expect(proxy.seen.length).toBeLessThanOrEqual(10);
    });

    it('splits large ranges, and requests only what is read', async () => {
      await put('large', LARGE);
      const reader = await storage.open('large');
      proxy.reset();
      expect((await buffer(filePieces(reader, 5, 3 * MIB + 4))).equals(LARGE.subarray(5, 3 * MIB + 4))).toBe(
        true,
      );
      const ranges = [5, MIB + 5, 2 * MIB + 5].map(
        (start) => `GET bytes=${start}-${Math.min(start + MIB, 3 * MIB + 4) - 1}`,
      );
      expect(proxy.seen).toEqual(ranges);
      proxy.reset();
      for await (const _ of filePieces(reader, 0, LARGE.length)) break;
      expect(proxy.seen).toHaveLength(1);
    });

    it('fails when another file has replaced the one that is read', async () => {
      await put('replaced', LARGE.subarray(0, 3 * MIB));
      const reader = await storage.open('replaced');
      await put('replaced', LARGE.subarray(3 * MIB, 6 * MIB));
      await expect(reader.read(0, 100)).rejects.toThrow('PreconditionFailed');
    });

    it('repeats a failed read when it is requested again', async () => {
      await put('flaky', LARGE.subarray(0, 1000));
      const reader = await storage.open('flaky');
      proxy.fault = (seen) => (seen.startsWith('GET') ? { status: 403, body: '' } : undefined);
      await expect(reader.read(0, 100)).rejects.toThrow('HTTP 403');
      proxy.reset();
      expect(await reader.read(0, 100)).toEqual(LARGE.subarray(0, 100));
    });

    it('refuses a server that does not support ranges', async () => {
      await put('whole', LARGE.subarray(0, 1000));
      const reader = await storage.open('whole');
      proxy.fault = (seen) => (seen.startsWith('GET') ? { status: 200, body: 'something else' } : undefined);
      await expect(reader.read(10, 2 * MIB)).rejects.toThrow(
        `s3://${bucket}/a/whole: the storage sent 14 instead of 990 bytes from offset 10`,
      );
    });

    it('ends running requests when the file is closed', async () => {
      await put('closed', LARGE);
      const reader = await storage.open('closed');
      proxy.fault = (seen) => (seen.startsWith('GET') ? 'never answer' : undefined);
      const reading = reader.read(0, 100);
      await eventually(async () => proxy.seen.some((seen) => seen.startsWith('GET')));
      await reader.close();
      await expect(reading).rejects.toThrow();
    });
  });

  describe('without a prefix', () => {
    it('stores files at the top of the bucket', async () => {
      const top = inBucket({ bucket, prefix: '' });
      await top.put('top/file', Readable.from([Buffer.from('x')]));
      expect(top.locate('top/file')).toBe(`s3://${bucket}/top/file`);
      const keys: string[] = [];
      for await (const key of top.list('top', -60_000)) keys.push(key);
      expect(keys).toEqual(['top/file']);
      expect(await storage.has('top/file')).toBe(false);
    });
  });

  describe('removing unfinished uploads', () => {
    it('continues when another gateway removes the same at the same time', async () => {
      const own = inBucket({ bucket, prefix: 'sweeps' });
      for (let n = 0; n < 5; n += 1)
        await server.client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: `sweeps/${n}` }));
      const uploads = async () =>
        (await server.client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: 'sweeps/' })))
          .Uploads ?? [];
      // The other gateway is faster with each of them.
      proxy.fault = (seen) => {
        if (!seen.startsWith('DELETE')) return undefined;
        const body = '<Error><Code>NoSuchUpload</Code><Message>no such upload</Message></Error>';
        return { status: 404, body };
      };
      expect(await own.sweep(-LONG_AGO_MS)).toBe(0);
      proxy.reset();
      expect(await own.sweep(-LONG_AGO_MS)).toBe(5);
      expect(await uploads()).toEqual([]);
    });
  });

  describe('a fault of the configuration', () => {
    it('a missing bucket proves nothing about a file', async () => {
      const away = inBucket({ bucket: 'another-bucket', prefix: '' });
      await expect(away.open('packages/a.zip')).rejects.toBeInstanceOf(StorageFailure);
      await expect(away.has('packages/a.zip')).rejects.toBeInstanceOf(StorageFailure);
    });

    it('is reported with the bucket and the message of the storage', async () => {
      const missing = inBucket({ bucket: `${bucket}-missing`, prefix: '' });
      await expect(missing.ping()).rejects.toThrow(
        `CreateMultipartUpload of s3://${bucket}-missing/.incoming/probe: NoSuchBucket (HTTP 404)`,
      );
    });

    it('is reported without the secret', async () => {
      const { accessKeyId } = server.connection.credentials;
      const credentials = { accessKeyId, secretAccessKey: 'not the secret of this key' };
      const error: Error = await inBucket({ bucket, prefix: '' }, { credentials })
        .ping()
        .then(
          () => new Error('it was let in'),
          (refusal) => refusal,
        );
      expect(error.message).toContain('HTTP 403');
      expect(JSON.stringify([error, error.message, error.stack])).not.toContain(credentials.secretAccessKey);
    });
  });

  describe('readiness', () => {
    it('writes at most once a minute, and checks access every time', async () => {
      const asked = inBucket({ bucket, prefix: 'ready' });
      for (let times = 0; times < 5; times += 1) await asked.ping();
      expect(proxy.seen).toEqual(['POST', 'DELETE', 'HEAD', 'HEAD', 'HEAD', 'HEAD']);
      proxy.fault = () => ({ status: 403, body: '' });
      await expect(asked.ping()).rejects.toThrow(`HeadBucket of s3://${bucket}: `);
    });
  });
});

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
