/** The contract's description of an operation: its request and its answers. */
import type { z } from 'zod';
import { OPERATIONS, type OperationId } from '../operations.ts';
import type { AnswerHeader } from './headers.ts';

/** The groups of routes, in the order of the API description. */
export const TAGS = {
  'Package imports': 'Uploads of packages, and their results',
  Submissions: 'Products of packages, and their state at the regulator',
  Failures: 'Failed products of all imports, by reason and step, and one run over many of them',
  Webhooks: 'Messages to a client at the end of its imports',
  Statistics: 'Number and duration of imports by day',
  'Regulator session': "The service's login with the regulator, which every import requires",
  Inserting: 'Pausing and resuming all inserts, for operators',
  'Audit trail': 'Actions with their actors and times, for operators',
  Health: 'Checks for orchestrators and load balancers',
} as const;

export type Tag = keyof typeof TAGS;

interface DataDescription<D> {
  description: string;
  data: z.ZodType<D>;
  /** Headers beyond those of every answer of its kind. */
  headers?: readonly AnswerHeader[];
}

/** A file instead of the envelope. */
interface FileDescription {
  description: string;
  contentType: string;
  /** Headers beyond those of every file. */
  headers?: readonly AnswerHeader[];
}

export interface Description<P = unknown, Q = unknown, B = unknown, D = unknown> {
  tag: Tag;
  summary: string;
  description?: string;
  params?: z.ZodObject & z.ZodType<P>;
  query?: z.ZodObject & z.ZodType<Q>;
  /** Headers that the operation reads beyond those of every request. */
  headers?: z.ZodObject;
  /** A JSON body. */
  body?: z.ZodType<B>;
  /** A multipart body, instead of a JSON body. */
  multipart?: z.ZodType;
  /** Successful answers by status, with the schema of `data` or the type of the file. */
  answers: Record<number, DataDescription<D> | FileDescription>;
  /** Meanings of errors by status, beyond those of every operation of its kind. */
  errors?: Record<number, string>;
}

/** Joins the path and permission of an operation with its description, and keeps the description's types. */
export function describe<const Id extends OperationId, D extends Description>(
  operationId: Id,
  description: D,
) {
  return { operationId, ...OPERATIONS[operationId], ...description };
}
