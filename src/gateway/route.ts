/**
 * A route: an operation of the contract with its handler. The contract gives validation, the form of the answer and the
 * OpenAPI description, so that they cannot disagree.
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
  /** Who calls; on public routes nobody. */
  caller: Caller;
  requestId: string;
  log: Logger;
  /** For what the route's own middleware has found out. */
  state: GatewayState;
}

export interface RouteAnswer<D> {
  /** One of the route's `answers`; by default the first. */
  status?: number;
  message: string;
  data: D | StreamedData<D>;
  headers?: Record<string, string>;
}

/** An answer that is made only for a client that has not got it already. */
export interface VersionedAnswer<D> {
  message: string;
  /** Changes with the data; known before they are read, so that what changes meanwhile is not lost. */
  version: string;
  read(): Promise<D | StreamedData<D>>;
}

/** A file in place of the envelope. */
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

/** Checks a definition and forgets its particular types: a list of routes holds all kinds. */
export function defineRoute<P, Q, B, D>(route: Route<P, Q, B, D>): Route {
  return route as unknown as Route;
}

/** Whether the answer is a page of a list, which leads to the next one by the header `Link`. */
export function isPaged({ query }: Route): boolean {
  return query !== undefined && 'before' in query.shape;
}

/** Whether the answer can be asked for with `If-None-Match`: the state of our own records. */
export function isPolled({ method, permission, answers }: Route): boolean {
  return method === 'get' && permission !== undefined && Object.values(answers).every((one) => 'data' in one);
}
