/** What the gateway knows about a request while it answers it; each part comes from the middleware that finds it out. */
import type { Middleware, ParameterizedContext } from 'koa';
import type { RequestState } from '../http/request-state.ts';
import type { Caller } from './tokens/access-token.ts';
import type { AskedDryRun, Upload, UploadKey } from './upload/received-upload.ts';

export interface GatewayState extends RequestState {
  /** Who calls; absent on public routes. */
  caller?: Caller;
  /** As the route's schema has it; absent where that has none. */
  query?: Readonly<Record<string, unknown>>;
  /** Of a request with an Idempotency-Key. */
  uploadKey?: UploadKey;
  /** Of an upload whose query asks for a dry run. */
  dryRun?: AskedDryRun;
  upload?: Upload;
}

export type GatewayContext = ParameterizedContext<GatewayState>;
export type GatewayMiddleware = Middleware<GatewayState>;

/** Behind authentication. */
export function callerIn({ caller }: GatewayState): Caller {
  return caller ?? missing('a caller: authenticate');
}

/** Behind the check of the query. */
export function queryIn({ query }: GatewayState): Readonly<Record<string, unknown>> {
  return query ?? missing('a query: validQuery');
}

/** Behind the receiving of an upload. */
export function uploadIn({ upload }: GatewayState): Upload {
  return upload ?? missing('an upload: receiveArchive');
}

function missing(what: string): never {
  throw new Error(`a route lacks the middleware that finds out ${what}`);
}
