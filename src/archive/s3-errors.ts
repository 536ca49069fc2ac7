import { type S3Client, S3ServiceException } from '@aws-sdk/client-s3';

/** Whether the storage says that there is no such object. A missing bucket is another matter, where it says so. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NotFound', 'NoSuchKey'].includes(error.name);
}

/** Whether the storage has no room: servers that are not Amazon's say so, by their names for it or by HTTP 507. */
export function isFull(error: unknown): boolean {
  return (
    error instanceof S3ServiceException &&
    (error.$metadata.httpStatusCode === 507 ||
      ['XMinioStorageFull', 'InsufficientStorage', 'QuotaExceeded'].includes(error.name))
  );
}

/** Whether nobody answers there, or only to say that it cannot now. Asked after `isFull`. */
export function isAway(error: unknown): boolean {
  if (error instanceof S3ServiceException) return (error.$metadata.httpStatusCode ?? 0) >= 500;
  // Node's errors of connections, and the SDK's of patience that is used up.
  return error instanceof Error && ('syscall' in error || error.name === 'TimeoutError');
}

/** What the SDK throws says neither what was tried nor, of answers without a body, why ("UnknownError"). */
export function explainErrors(client: S3Client): void {
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
}
