/** Request state that logging, metrics and tracing share with every Koa application. Applications extend it. */
import type { Logger } from 'pino';
import type { ErrorCode } from '../contract/error-codes.ts';

export interface RequestState {
  requestId: string;
  /** Every line carries the request id. */
  log: Logger;
  /** Code of the error answer. */
  errorCode?: ErrorCode;
  /** Set once the upload has been received completely. */
  upload?: { archive: { sizeBytes: number } };
}
