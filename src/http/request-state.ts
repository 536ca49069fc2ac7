/**
 * What the parts around a Koa application may know about a request and add to it, whoever serves it. Applications
 * extend it with what is theirs.
 */
import type { Logger } from 'pino';
import type { ErrorCode } from '../contract/error-codes.ts';

export interface RequestState {
  requestId: string;
  /** Every line carries the request id. */
  log: Logger;
  /** Of the error that the request is answered with. */
  errorCode?: ErrorCode;
  /** Once it is there as a whole. */
  upload?: { archive: { sizeBytes: number } };
}
