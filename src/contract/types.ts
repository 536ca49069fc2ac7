/** The types of requests and answers, inferred from the schemas. Types only: no schema is loaded by who imports them. */
import type { z } from 'zod';
import type { OperationId } from './operations.ts';
import type { API } from './schemas/index.ts';

export type { AuditEvent, AuditPage } from './schemas/audit-events.ts';
export type { DryRunProduct, DryRunResult } from './schemas/dry-run.ts';
export type { ImportRetry } from './schemas/import-retry.ts';
export type { Inserting } from './schemas/inserting.ts';
export type { ImportPage, ImportReport, ImportResult, ImportSummary } from './schemas/package-imports.ts';
export type { Product, ProductSubmission } from './schemas/products.ts';
export type { RegulatorSession } from './schemas/regulator-session.ts';
export type { Statistics, StatisticsLine, Stored, StoredNow, WaitingNow } from './schemas/statistics.ts';
export type { QueueResult, Submission } from './schemas/submissions.ts';
export type { WebhookDelivery } from './schemas/webhook-deliveries.ts';
export type { Webhook } from './schemas/webhooks.ts';

type Described<Id extends OperationId> = (typeof API)[Id];

type Given<Id extends OperationId, Part extends string> =
  Described<Id> extends Readonly<Record<Part, infer Schema extends z.ZodType>> ? z.input<Schema> : never;

export type ParamsOf<Id extends OperationId> = Given<Id, 'params'>;
export type QueryOf<Id extends OperationId> = Given<Id, 'query'>;
export type BodyOf<Id extends OperationId> = Given<Id, 'body'>;

/** The parts of a request: only those that the operation has, and only required where something in them is. */
export type RequestOf<Id extends OperationId> = Part<'params', ParamsOf<Id>> &
  Part<'query', QueryOf<Id>> &
  Part<'body', BodyOf<Id>>;

type Part<Name extends string, T> = [T] extends [never]
  ? Partial<Record<Name, never>>
  : Record<string, never> extends T
    ? Partial<Record<Name, T>>
    : Record<Name, T>;

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
