/** The form in which the contract describes an operation: what it takes, and what it answers. */
import type { z } from 'zod';
import { OPERATIONS, type OperationId } from '../operations.ts';
import type { AnswerHeader } from './headers.ts';
import type { Tag } from './tags.ts';

export interface DataDescription<D> {
  description: string;
  data: z.ZodType<D>;
  /** Beyond those that every answer of its kind has. */
  headers?: readonly AnswerHeader[];
}

/** A file in place of the envelope. */
export interface FileDescription {
  description: string;
  contentType: string;
}

/** The meaning of an error; with the headers that its answer has beyond those of every answer with its status. */
export type ErrorDescription = string | { description: string; headers: readonly AnswerHeader[] };

/** When an operation became deprecated, and when it is removed: six months later at the earliest (interface §9). */
export interface Deprecation {
  since: Date;
  sunset: Date;
}

export interface Description<P = unknown, Q = unknown, B = unknown, D = unknown> {
  tag: Tag;
  summary: string;
  description?: string;
  deprecated?: Deprecation;
  params?: z.ZodObject & z.ZodType<P>;
  query?: z.ZodObject & z.ZodType<Q>;
  /** Headers that the operation reads beyond those of every request. */
  headers?: z.ZodObject;
  /** A JSON body. */
  body?: z.ZodType<B>;
  /** In place of a JSON body. */
  multipart?: z.ZodType;
  /** Successful answers by status: what they mean, and what `data` or the file holds. */
  answers: Record<number, DataDescription<D> | FileDescription>;
  /** Statuses of errors beyond those that every operation of its kind has, with their meaning. */
  errors?: Record<number, ErrorDescription>;
}

/** Joins the address and permission of an operation with its description, whose types it keeps. */
export function describe<const Id extends OperationId, D extends Description>(
  operationId: Id,
  description: D,
) {
  return { operationId, ...OPERATIONS[operationId], ...description };
}
