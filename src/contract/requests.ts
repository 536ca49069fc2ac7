/** Types of the request and the answer of an operation, by its id. Types only: no schema is loaded. */
import type { z } from 'zod';
import type { OperationId } from './operations.ts';
import type * as API from './schemas/index.ts';

type Described<Id extends OperationId> = (typeof API)[Id];

type Given<Id extends OperationId, Part extends string> =
  Described<Id> extends Readonly<Record<Part, infer Schema extends z.ZodType>> ? z.input<Schema> : never;

type ParamsOf<Id extends OperationId> = Given<Id, 'params'>;
type QueryOf<Id extends OperationId> = Given<Id, 'query'>;
type BodyOf<Id extends OperationId> = Given<Id, 'body'>;

/** The parts of a request that the operation has. A part is required if one of its fields is. */
export type RequestOf<Id extends OperationId> = Part<'params', ParamsOf<Id>> &
  Part<'query', QueryOf<Id>> &
  Part<'body', BodyOf<Id>>;

type Part<Name extends string, T> = [T] extends [never]
  ? Partial<Record<Name, never>>
  : Record<string, never> extends T
    ? Partial<Record<Name, T>>
    : Record<Name, T>;

/** The arguments of a call. The request is optional if all of its parts are. */
export type CallOf<Id extends OperationId, Options> =
  Record<string, never> extends RequestOf<Id>
    ? [request?: RequestOf<Id> & Options]
    : [request: RequestOf<Id> & Options];

/** A request of any operation, before encoding. */
export interface AnyRequest {
  params?: Readonly<Record<string, string | number>>;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: unknown;
}

/** `data` in the envelope of the operation's answers. */
export type DataOf<Id extends OperationId> =
  Described<Id>['answers'][keyof Described<Id>['answers']] extends infer Answer
    ? Answer extends { data: infer Schema extends z.ZodType }
      ? z.output<Schema>
      : never
    : never;

/** Operations that read and answer with data. */
export type ReadOperationId = {
  [Id in OperationId]: Described<Id>['method'] extends 'get'
    ? [DataOf<Id>] extends [never]
      ? never
      : Id
    : never;
}[OperationId];
