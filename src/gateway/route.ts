/**
 * A route: an operation of the contract with its handler, and the state of its requests. Validation, the form of the answer
 * and the OpenAPI description all come from the contract, so that they cannot disagree.
 */

import type { Readable } from 'node:stream';
import type { Middleware, ParameterizedContext } from 'koa';
import type { StoredFile } from '../archive/storage.ts';
import type { Operation } from '../contract/operations.ts';
import type { Description } from '../contract/schemas/operation.ts';
import type { MendedFile } from '../database/repositories/imports.ts';
import type { RequestState } from '../http/koa.ts';
import type { ReadBudget } from './quotas/read-budgets.ts';
import type { StreamedData } from './streams.ts';
import type { Caller } from './tokens/access-token.ts';

export interface GatewayState extends RequestState {
  /** The authenticated caller; absent on public routes. */
  caller?: Caller;
  /** Limit on the data that the request may load; absent on public routes. */
  budget?: ReadBudget;
  /** The query as parsed by the route's schema; absent if the route has none. */
  query?: Readonly<Record<string, unknown>>;
  /** Set if the request has an Idempotency-Key. */
  uploadKey?: UploadKey;
  /** Gives back the place among the uploads that this process receives; a second call does nothing. */
  giveBackSlot?: () => void;
  upload?: Upload;
}

export type GatewayContext = ParameterizedContext<GatewayState>;
export type GatewayMiddleware = Middleware<GatewayState>;

/** To be used after authentication. */
export function callerIn({ caller }: GatewayState): Caller {
  return caller ?? missing('the caller', 'authenticate');
}

/** To be used after `limitReads`. */
export function budgetIn({ budget }: GatewayState): ReadBudget {
  return budget ?? missing('the budget', 'limitReads');
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

export interface ReceivedArchive extends StoredFile {
  storageKey: string;
  /** The client's file name, made safe for logs and mails. */
  fileName: string;
  /** The corrected product file in it, under its name as sent; absent for a package of the client. */
  mended?: Omit<MendedFile, 'sha256Before'>;
}

export interface Upload {
  archive: ReceivedArchive;
  /** The text parts that the form has, not validated yet. */
  fields: Readonly<Record<string, unknown>>;
  /** Whether the archive belongs to a stored import, or may. Any other is removed after the request. */
  kept: boolean;
}

export interface UploadKey {
  /** The caller's tenant, also if the import belongs to another one. */
  tenant: string;
  key: string;
  /** Whether the tenant has used the key before. */
  known: boolean;
}

export interface RouteRequest<P = unknown, Q = unknown, B = unknown> {
  params: P;
  query: Q;
  body: B;
  /** The authenticated caller. Public routes have none. */
  readonly caller: Caller;
  /** Limit on the data that the request may load. Public routes have none. */
  readonly budget: ReadBudget;
  /** The id and the log of the request, and the results of the route's own middleware. */
  state: GatewayState;
  /** The request itself, for its method and headers. */
  http: Pick<GatewayContext, 'method' | 'get'>;
}

export interface RouteAnswer<D> {
  /** One of the statuses in the route's `answers`; by default the first. */
  status?: number;
  message: string;
  /** A function is called only if the client does not have this version already. */
  data: D | StreamedData<D> | (() => Promise<StreamedData<D>>);
  /** Changes with the data. It is read before the data, so that a change in between is not lost. */
  version?: string;
  headers?: Record<string, string>;
}

/** A file instead of the envelope. */
export interface FileAnswer {
  /** Null for 304. */
  stream: Readable | null;
  fileName: string;
  /** One of the statuses in the route's `answers`; by default the first. */
  status?: number;
  headers?: Record<string, string>;
}

export interface Route<P = unknown, Q = unknown, B = unknown, D = unknown>
  extends Operation,
    Description<P, Q, B, D> {
  operationId: string;
  /** Runs after authentication, permission and the validation of the query. A JSON body is read, but not yet validated. */
  before?: GatewayMiddleware[];
  handle(request: RouteRequest<P, Q, B>): Promise<RouteAnswer<D> | FileAnswer>;
}

/** Checks a definition's types and erases them, so that a list can hold all routes. */
export function defineRoute<P, Q, B, D>(route: Route<P, Q, B, D>): Route {
  return route as unknown as Route;
}

/** Whether the answer is a page of a list, with the next page in the header `Link`. */
export function isPaged({ query }: Route): boolean {
  return query !== undefined && 'before' in query.shape;
}

/** Whether the answer supports `If-None-Match`: true for every protected GET that answers with an envelope. */
export function isPolled({ method, permission, answers }: Route): boolean {
  return method === 'get' && permission !== undefined && Object.values(answers).every((one) => 'data' in one);
}
