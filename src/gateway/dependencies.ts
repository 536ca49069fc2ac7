/** Dependencies of the gateway, all injected. */
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Dossiers } from '../archive/dossier.ts';
import type { ProductFiles } from '../archive/product-files.ts';
import type { ArchiveStorage } from '../archive/storage.ts';
import type { Database } from '../database/index.ts';
import type { WebhookRules } from '../domain/webhook.ts';
import type { RequestState } from '../http/koa.ts';
import type { RegulatorSessions } from '../regulator/session.ts';
import type { FailuresRuns } from '../temporal/failures-runs.ts';
import type { ImportWorkflows, WebhookWorkflows } from '../temporal/import-workflows.ts';
import type { PackageChecks } from '../temporal/package-checks.ts';
import type { StartInsert } from '../temporal/start-insert.ts';
import type { ProcessingChecks } from '../temporal/task-queues.ts';
import type { ReadAudit } from './ownership.ts';
import type { PageDependencies } from './page.ts';
import type { ClientQuotas } from './quotas/client-quotas.ts';
import type { ReadBudgets } from './quotas/read-budgets.ts';
import type { TokenRules } from './tokens/authenticate.ts';
import type { UploadFloor } from './upload/multipart-body.ts';

export interface GatewayDependencies {
  /** Version of the service and of its API. */
  version: string;
  database: Database;
  /** Records reads in the audit trail. */
  readAudit: ReadAudit;
  storage: ArchiveStorage;
  productFiles: ProductFiles;
  dossiers: Dossiers;
  /** Limits what reads take from others. */
  readBudgets: ReadBudgets;
  sessions: RegulatorSessions;
  importWorkflows: ImportWorkflows;
  failuresRuns: FailuresRuns;
  startInsert: StartInsert;
  packageChecks: PackageChecks;
  webhookRules: WebhookRules;
  webhookWorkflows: Pick<WebhookWorkflows, 'deliver'>;
  tokens: TokenRules;
  logger: Logger;
  /** Middleware that observes every request, such as metrics. */
  observers: readonly Middleware<RequestState>[];
  basePath: string;
  /** The gateway's URL as clients see it, base path included. Null if it is not known. */
  publicUrl: string | null;
  /** The token endpoint's URL, for the API description. Null if it is not known. */
  tokenUrl: string | null;
  limits: {
    maxUploadBytes: number;
    uploadIdleMs: number;
    uploadFloor: UploadFloor;
    /** Uploads that this process receives at the same time. */
    uploadsAtOnce: number;
    /** Milliseconds that an upload waits for an unavailable worker or Temporal before it is refused. */
    maxProcessingWaitMs: number;
    /** Free bytes of the storage below which uploads are refused. 0 for no limit. */
    minFreeBytes: number;
  };
  /** Quotas of one client. */
  quotas: ClientQuotas;
  /** Number of proxies in front whose X-Forwarded headers are trusted. 0 for none. */
  trustedProxies: number;
  /** Recipient of the summary if the upload names none. Null for no summary. */
  defaultRecipient: string | null;
  /** The web page. Null if none is served. */
  page: PageDependencies | null;
  /** Checks without which no upload can be processed. */
  processing: Pick<ProcessingChecks, 'uploads'>;
}
