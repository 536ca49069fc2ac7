/** What the gateway works with. Everything is passed in; the gateway keeps no state of its own. */
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { ReadingBudget } from '../archive/reading-budget.ts';
import type { RepairPacks } from '../archive/repair-pack.ts';
import type { ArchiveStorage } from '../archive/storage.ts';
import type { Database } from '../database/index.ts';
import type { WebhookRules } from '../domain/webhook.ts';
import type { Checks } from '../http/health.ts';
import type { RequestState } from '../http/request-state.ts';
import type { RegulatorSessions } from '../regulator/session.ts';
import type { ImportWorkflows } from '../temporal/import-workflows.ts';
import type { PackageChecks } from '../temporal/package-checks.ts';
import type { ProcessingChecks } from '../temporal/readiness.ts';
import type { RetryWorkflows } from '../temporal/retry-workflows.ts';
import type { StartInsert } from '../temporal/start-insert.ts';
import type { WebhookWorkflows } from '../temporal/webhook-workflows.ts';
import type { PageDependencies } from './page/serve-page.ts';
import type { ClientQuotas } from './quotas/client-quotas.ts';
import type { TokenRules } from './tokens/authenticate.ts';
import type { UploadFloor } from './upload/multipart-body.ts';

export interface GatewayDependencies {
  /** Of the service, and so of its API. */
  version: string;
  database: Pick<
    Database,
    | 'imports'
    | 'reports'
    | 'idempotency'
    | 'submissions'
    | 'importRetries'
    | 'statistics'
    | 'insertingPause'
    | 'auditTrail'
    | 'webhooks'
    | 'webhookDeliveries'
  >;
  storage: ArchiveStorage;
  repairPacks: RepairPacks;
  /** What reports may keep while they are written. */
  reportMemory: ReadingBudget;
  sessions: RegulatorSessions;
  importWorkflows: ImportWorkflows;
  retryWorkflows: RetryWorkflows;
  startInsert: StartInsert;
  packageChecks: PackageChecks;
  webhookRules: WebhookRules;
  webhookWorkflows: WebhookWorkflows;
  tokens: TokenRules;
  logger: Logger;
  /** Look on at every request, and may serve what they have seen. */
  observers: readonly Middleware<RequestState>[];
  basePath: string;
  /** Where clients reach the gateway, base path included; null where that is not known. */
  publicUrl: string | null;
  /** Where clients get their tokens, for the API description; null where it is not known. */
  tokenUrl: string | null;
  limits: {
    maxUploadBytes: number;
    uploadIdleMs: number;
    uploadFloor: UploadFloor;
    /** Received by this process. */
    uploadsAtOnce: number;
    /** Milliseconds that an upload waits for a worker or Temporal that is away, before it is refused. */
    processingPatienceMs: number;
    /** Of the storage, below which uploads are refused; 0 for no such limit. */
    minFreeBytes: number;
  };
  /** Of one client. */
  quotas: ClientQuotas;
  /** Proxies in front whose X-Forwarded headers are true; 0 for none. */
  trustedProxies: number;
  /** Who gets the summary when the upload names nobody; null for nobody. */
  defaultRecipient: string | null;
  /** The web page; null where none is served. */
  page: PageDependencies | null;
  /** What has to work so that requests can be answered at all, by name; each rejects with the reason. */
  readiness: Checks;
  /** What has to work so that an upload would be processed. */
  processing: ProcessingChecks;
}
