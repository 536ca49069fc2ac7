/** The client of a bucket: where it is, its time limits, and the kinds of its errors. */
import { S3Client, type S3ClientConfig, S3ServiceException } from '@aws-sdk/client-s3';

export interface S3Location {
  bucket: string;
  /** Prefix of every key, without slashes at its ends; may be empty. */
  prefix: string;
}

/** Settings that override the environment. */
export type S3Connection = Pick<S3ClientConfig, 'endpoint' | 'region' | 'credentials' | 'forcePathStyle'>;

/** Limits for a single request. A working storage answers faster. */
const TIMEOUTS = { connectionTimeout: 5_000, socketTimeout: 30_000 };

/**
 * @param url `s3://bucket/prefix`
 * @throws when it names no bucket
 */
export function parseS3Url(url: string): S3Location {
  const { hostname, pathname } = new URL(url);
  if (hostname === '') throw new Error(`STORAGE_URL: ${url} has no bucket; use s3://bucket/prefix.`);
  return { bucket: hostname, prefix: decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '') };
}

/**
 * A client with complete errors. Those of the SDK lack the attempted operation, and the cause if the answer has no body
 * ("UnknownError").
 */
export function createS3Client(connection: S3Connection): S3Client {
  const client = new S3Client({ ...connection, requestHandler: TIMEOUTS });
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (request) => {
        try {
          return await next(request);
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          const { Bucket, Key } = request.input as { Bucket?: string; Key?: string };
          const status =
            error instanceof S3ServiceException ? ` (HTTP ${error.$metadata.httpStatusCode})` : '';
          const place = Key === undefined ? `s3://${Bucket}` : `s3://${Bucket}/${Key}`;
          error.message = `${commandName.replace(/Command$/, '')} of ${place}: ${error.name}${status}: ${error.message}`;
          throw error;
        }
      },
    { step: 'initialize', name: 'explainErrors' },
  );
  return client;
}

/** Whether the storage reports a missing object. HEAD reports a missing bucket in the same way. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NotFound', 'NoSuchKey'].includes(error.name);
}

/** Whether the storage reports that an upload is complete or aborted: another process was faster. */
export function isEndedUpload(error: unknown): boolean {
  return error instanceof S3ServiceException && error.name === 'NoSuchUpload';
}

/** Whether the storage reports that it has no room. Servers other than Amazon's use own error names or HTTP 507. */
export function isFull(error: unknown): boolean {
  return (
    error instanceof S3ServiceException &&
    (error.$metadata.httpStatusCode === 507 ||
      ['XMinioStorageFull', 'InsufficientStorage', 'QuotaExceeded'].includes(error.name))
  );
}

/** Whether the storage does not answer, or answers that it is unavailable. Call `isFull` first. */
export function isAway(error: unknown): boolean {
  if (error instanceof S3ServiceException) return (error.$metadata.httpStatusCode ?? 0) >= 500;
  // A host with several addresses, of which none answers.
  if (error instanceof AggregateError) return error.errors.every(isAway);
  // Node's connection errors, and the SDK's timeouts.
  return error instanceof Error && ('syscall' in error || error.name === 'TimeoutError');
}
