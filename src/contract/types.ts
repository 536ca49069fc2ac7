/** The types of answers, inferred from the schemas. Types only: no schema is loaded, and the client library writes them out. */

export type { Reason } from './schemas/common.ts';
export type * from './schemas/index.ts';
export type { DryRunProduct, DryRunResult, ProductDiff } from './schemas/upload.ts';
export type { WebhookPayload } from './schemas/webhook-messages.ts';
