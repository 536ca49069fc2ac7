/**
 * Archive storage in a bucket of Amazon S3 or of any server with the same API. The SDK finds endpoint, region and
 * credentials in the AWS standard variables (`AWS_ENDPOINT_URL_S3`, `AWS_REGION`, `AWS_ACCESS_KEY_ID` …), in an
 * instance role, or in a profile.
 *
 * The credentials need these permissions: s3:GetObject, PutObject, DeleteObject, AbortMultipartUpload,
 * ListMultipartUploadParts on the objects;
 * ListBucket, ListBucketMultipartUploads on the bucket. Without ListBucket S3 answers "forbidden" for a missing object.
 */
import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type ListMultipartUploadsCommandOutput,
  ListPartsCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { StorageFull } from '../domain/client-errors.ts';
import {
  createS3Client,
  isAway,
  isEndedUpload,
  isFull,
  isMissing,
  type S3Connection,
  type S3Location,
} from './s3-client.ts';
import { openS3Reader } from './s3-reader.ts';
import { type ArchiveStorage, FileMissing, StorageFailure, type StoredFile } from './storage.ts';

const MIB = 1024 * 1024;
/**
 * The smallest part size of S3. S3 accepts at most 10,000 parts, which is enough for 48 GB. Every upload in progress
 * holds one part in memory until it is full. A client that sends slowly may hold it for hours
 * (decision §room-for-packages).
 */
const PART_BYTES = 5 * MIB;
/** Parts of one upload that are sent in parallel. Each takes one more part of memory. */
const PARTS_AT_ONCE = 1;
/** Maximum time between two parts of an upload, for the slowest client that the gateway accepts. */
const SLOWEST_PART_MS = 3 * 3_600_000;
/** Lifetime of a successful write check: a write costs money. */
const WRITABLE_FOR_MS = 60_000;

/** @param connection settings that override the environment */
export function createS3Storage(
  { bucket, prefix }: S3Location,
  connection: S3Connection = {},
): ArchiveStorage {
  const client = createS3Client(connection);
  const inPrefix = (name: string) => (prefix === '' ? name : `${prefix}/${name}`);
  const keyOf = (objectKey: string) => (prefix === '' ? objectKey : objectKey.slice(prefix.length + 1));
  const at = (key: string) => ({ Bucket: bucket, Key: inPrefix(key) });
  const locate = (key: string) => `s3://${bucket}/${inPrefix(key)}`;
  let writableUntil = 0;

  async function put(key: string, source: Readable): Promise<StoredFile> {
    const hash = createHash('sha256');
    const counted = { sizeBytes: 0 };
    const upload = new Upload({
      client,
      params: { ...at(key), Body: Readable.from(counting(source, hash, counted), { objectMode: false }) },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
      // Otherwise the SDK throws the error of the abort instead of the original one.
      leavePartsOnError: true,
    });
    try {
      await upload.done();
    } catch (error) {
      source.destroy();
      if (upload.uploadId) await abort(inPrefix(key), upload.uploadId).catch(() => {}); // `sweep` removes it later.
      if (isFull(error)) throw new StorageFull();
      throw isAway(error) ? new StorageFailure(error) : error;
    }
    return { ...counted, sha256: hash.digest('hex') };
  }

  async function abort(objectKey: string, uploadId: string): Promise<void> {
    await client.send(
      new AbortMultipartUploadCommand({ Bucket: bucket, Key: objectKey, UploadId: uploadId }),
    );
  }

  /** A missing bucket does not prove that a file is gone: it may be the wrong bucket. */
  async function requireBucket(): Promise<void> {
    await client.send(new HeadBucketCommand({ Bucket: bucket })).catch((error) => {
      throw new StorageFailure(error);
    });
  }

  async function remove(key: string): Promise<void> {
    await client.send(new DeleteObjectCommand(at(key)));
  }

  /** Uploads that were begun and neither completed nor aborted. */
  async function* unfinishedUploads() {
    let marker: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> = {};
    for (;;) {
      const page: ListMultipartUploadsCommandOutput = await client.send(
        new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: inPrefix(''), ...marker }),
      );
      yield* page.Uploads ?? [];
      if (!page.IsTruncated) return;
      marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  /**
   * Unix time in milliseconds; 0 if there is none. A large upload may take longer than the age at which leftovers are
   * removed.
   */
  async function lastPartAt(objectKey: string, uploadId: string): Promise<number> {
    const upload = { Bucket: bucket, Key: objectKey, UploadId: uploadId };
    let last = 0;
    for (let marker: string | undefined; ; ) {
      const page = await client.send(
        new ListPartsCommand({ ...upload, ...(marker !== undefined && { PartNumberMarker: marker }) }),
      );
      for (const { LastModified } of page.Parts ?? []) last = Math.max(last, LastModified?.getTime() ?? 0);
      if (!page.IsTruncated || page.NextPartNumberMarker === undefined) return last;
      marker = page.NextPartNumberMarker;
    }
  }

  return {
    put,
    locate,
    remove,
    async open(key) {
      return openS3Reader(client, at(key), locate(key)).catch(async (error) => {
        if (error instanceof FileMissing) await requireBucket();
        throw error;
      });
    },
    async move(from, to) {
      const source = [bucket, ...inPrefix(from).split('/')].map(encodeURIComponent).join('/');
      await client.send(new CopyObjectCommand({ ...at(to), CopySource: source })).catch((error) => {
        throw isMissing(error) ? new FileMissing(locate(from)) : error;
      });
      await remove(from);
    },
    async has(key) {
      try {
        await client.send(new HeadObjectCommand(at(key)));
        return true;
      } catch (error) {
        if (!isMissing(error)) throw error;
        await requireBucket();
        return false;
      }
    },
    async *list(folder, olderThanMs) {
      const before = Date.now() - olderThanMs;
      const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: inPrefix(`${folder}/`) });
      for await (const { Contents = [] } of pages) {
        for (const { Key = '', LastModified } of Contents)
          if (LastModified && LastModified.getTime() < before) yield keyOf(Key);
      }
    },
    async sweep(olderThanMs) {
      const before = Date.now() - olderThanMs - SLOWEST_PART_MS;
      let removed = 0;
      for await (const { Key, UploadId, Initiated } of unfinishedUploads()) {
        if (!Key || !UploadId || !Initiated || Initiated.getTime() >= before) continue;
        try {
          if ((await lastPartAt(Key, UploadId)) >= before) continue;
          await abort(Key, UploadId);
          removed += 1;
        } catch (error) {
          // Gateways sweep at the same time.
          if (!isEndedUpload(error)) throw error;
        }
      }
      return removed;
    },
    async ping() {
      if (Date.now() < writableUntil) {
        await client.send(new HeadBucketCommand({ Bucket: bucket }));
        return;
      }
      // This needs write permission and, unlike an object, leaves no version behind.
      const probe = at('.incoming/probe');
      const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand(probe));
      await abort(probe.Key, UploadId);
      writableUntil = Date.now() + WRITABLE_FOR_MS;
    },
    freeBytes: async () => null,
  };
}

async function* counting(
  source: Readable,
  hash: Hash,
  counted: { sizeBytes: number },
): AsyncGenerator<Buffer> {
  for await (const chunk of source as AsyncIterable<Buffer>) {
    hash.update(chunk);
    counted.sizeBytes += chunk.length;
    yield chunk;
  }
}
