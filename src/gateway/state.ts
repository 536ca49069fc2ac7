/** The state of a request. The middleware sets each field as soon as it knows it. */
import type { Middleware, ParameterizedContext } from 'koa';
import type { RequestState } from '../http/koa.ts';
import type { Read } from './quotas/reads.ts';
import type { Caller } from './tokens/access-token.ts';
import type { AskedDryRun, Upload, UploadKey } from './upload/received-upload.ts';

export interface GatewayState extends RequestState {
  /** The authenticated caller; absent on public routes. */
  caller?: Caller;
  /** What the request may load; absent on public routes. */
  read?: Read;
  /** The query as parsed by the route's schema; absent if the route has none. */
  query?: Readonly<Record<string, unknown>>;
  /** Set if the request has an Idempotency-Key. */
  uploadKey?: UploadKey;
  /** Set if the query of an upload asks for a dry run. */
  dryRun?: AskedDryRun;
  upload?: Upload;
}

export type GatewayContext = ParameterizedContext<GatewayState>;
export type GatewayMiddleware = Middleware<GatewayState>;

/** To be used after authentication. */
export function callerIn({ caller }: GatewayState): Caller {
  return caller ?? missing('the caller', 'authenticate');
}

/** To be used after `limitReads`. */
export function readIn({ read }: GatewayState): Read {
  return read ?? missing('the read', 'limitReads');
}

/** To be used after the validation of the query. */
export function queryIn({ query }: GatewayState): Readonly<Record<string, unknown>> {
  return query ?? missing('the query', 'validQuery');
}

/** To be used after `receiveArchive`. */
export function uploadIn({ upload }: GatewayState): Upload {
  return upload ?? missing('the upload', 'receiveArchive');
}

function missing(what: string, middleware: string): never {
  throw new Error(`The route lacks the middleware ${middleware}, which sets ${what}`);
}
