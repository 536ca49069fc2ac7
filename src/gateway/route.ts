/**
 * A route: an operation of the contract with its handler. Validation, the form of the answer and the OpenAPI
 * description all come from the contract, so that they cannot disagree.
 */
import type { Readable } from 'node:stream';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Operation } from '../contract/operations.ts';
import type { Description } from '../contract/schemas/operation.ts';
import type { RequestState } from '../http/koa.ts';
import type { ReadBudget } from './quotas/read-budgets.ts';
import type { StreamedData } from './streams.ts';
import type { Caller } from './tokens/access-token.ts';

export interface GatewayState extends RequestState {
  /** The authenticated caller, for the log. Absent on public routes. */
  caller?: Caller;
}

export type GatewayContext = ParameterizedContext<GatewayState>;
export type GatewayMiddleware = Middleware<GatewayState>;

export interface RouteRequest<P = unknown, Q = unknown, B = unknown> {
  params: P;
  query: Q;
  body: B;
  /** The authenticated caller. Public routes have none. */
  readonly caller: Caller;
  /** Limit on the data that the request may load. Public routes have none. */
  readonly budget: ReadBudget;
  /** The request itself: its method and headers, its id and its log. The body of a multipart request is not read yet. */
  ctx: GatewayContext;
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
