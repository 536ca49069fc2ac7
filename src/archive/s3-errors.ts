import { type S3Client, S3ServiceException } from '@aws-sdk/client-s3';

/** Whether the storage reports a missing object. A missing bucket does not count, if the storage tells them apart. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NotFound', 'NoSuchKey'].includes(error.name);
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
  // Node's connection errors, and the SDK's timeouts.
  return error instanceof Error && ('syscall' in error || error.name === 'TimeoutError');
}

/** Completes the SDK's errors: they lack the attempted operation, and the cause if the answer has no body ("UnknownError"). */
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
