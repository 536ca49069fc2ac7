/**
 * A route: one definition that gives validation, the answer's envelope and the OpenAPI description, so
 * that they cannot disagree.
 */
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Permission } from '../domain/permissions.ts';
import type { StreamedData } from './json-stream.ts';
import type { AnswerHeader } from './openapi-headers.ts';
import type { GatewayMiddleware, GatewayState } from './state.ts';
import type { Tag } from './tags.ts';
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

export interface DataDescription<D> {
  description: string;
  data: z.ZodType<D>;
  /** Beyond those that every answer of its kind has. */
  headers?: readonly AnswerHeader[];
}

/** What an error means; with the headers that its answer has beyond those of every answer with its status. */
export type ErrorDescription = string | { description: string; headers: readonly AnswerHeader[] };

export interface FileDescription {
  description: string;
  contentType: string;
}

/** A file in place of the envelope. */
export interface FileAnswer {
  stream: Readable;
  fileName: string;
}

/** When a route became deprecated, and when it goes: six months later at the earliest (interface §9). */
export interface Deprecation {
  since: Date;
  sunset: Date;
}

export interface Route<P = unknown, Q = unknown, B = unknown, D = unknown> {
  method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters in braces, as in OpenAPI. */
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  tag: Tag;
  deprecated?: Deprecation;
  /** Absent on public routes. */
  permission?: Permission;
  params?: z.ZodObject & z.ZodType<P>;
  query?: z.ZodObject & z.ZodType<Q>;
  /** Described in OpenAPI; read by the route's own middleware. */
  headers?: z.ZodObject;
  /** A JSON body. */
  body?: z.ZodType<B>;
  /** Described in OpenAPI in place of a JSON body; read by the route's own middleware. */
  multipart?: z.ZodType;
  /** Successful answers by status: what they mean, and what `data` or the file holds. */
  answers: Record<number, DataDescription<D> | FileDescription>;
  /** Statuses of errors beyond those that every route of its kind has, with their meaning. */
  errors?: Record<number, ErrorDescription>;
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
