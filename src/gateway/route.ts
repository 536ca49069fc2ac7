/**
 * A route: an operation of the contract with its handler. Validation, the form of the answer and the OpenAPI description
 * all come from the contract, so that they cannot disagree.
 */
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Operation } from '../contract/operations.ts';
import type { Description } from '../contract/schemas/operation.ts';
import type { StreamedData } from './json-stream.ts';
import type { GatewayMiddleware, GatewayState } from './state.ts';
import type { Caller } from './tokens/access-token.ts';

export interface RouteRequest<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  /** The authenticated caller; `NOBODY` on public routes. */
  caller: Caller;
  requestId: string;
  log: Logger;
  /** Results of the route's own middleware. */
  state: GatewayState;
}

export interface RouteAnswer<D> {
  /** One of the statuses in the route's `answers`; by default the first. */
  status?: number;
  message: string;
  data: D | StreamedData<D>;
  headers?: Record<string, string>;
}

/** An answer that is read only if the client does not have this version already. */
export interface VersionedAnswer<D> {
  message: string;
  /** Changes with the data. It is read before the data, so that a change in between is not lost. */
  version: string;
  read(): Promise<D | StreamedData<D>>;
}

/** A file instead of the envelope. */
export interface FileAnswer {
  stream: Readable;
  fileName: string;
}

export interface Route<P = unknown, Q = unknown, B = unknown, D = unknown>
  extends Operation,
    Description<P, Q, B, D> {
  operationId: string;
  /** Runs after authentication and permission, before validation. */
  before?: GatewayMiddleware[];
  handle(request: RouteRequest<P, Q, B>): Promise<RouteAnswer<D> | VersionedAnswer<D> | FileAnswer>;
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
