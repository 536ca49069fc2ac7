/** Dependencies of the activities. Everything is passed in; no instance is imported. */

import type { ReadingBudgets } from '../src/archive/package-reader.ts';
import type { ArchiveStorage } from '../src/archive/storage.ts';
import type { ProductCheck } from '../src/contract/product-checks.ts';
import type { ClientRateLimit, ClientSlots } from '../src/database/coordination/client-limits.ts';
import type { RegulatorSlots } from '../src/database/coordination/regulator-slots.ts';
import type { Database } from '../src/database/index.ts';
import type { WebhookRules } from '../src/domain/webhook.ts';
import type { ImportUrl } from '../src/notifications/import-urls.ts';
import type { Mailer } from '../src/notifications/mail/mailer.ts';
import type { SummaryLinks } from '../src/notifications/mail/texts.ts';
import type { WebhookSender } from '../src/notifications/webhooks/sender.ts';
import type { Regulator } from '../src/regulator/port.ts';
import type { RegulatorSessions } from '../src/regulator/session.ts';
import type { ImportWorkflows, WebhookWorkflows } from '../src/temporal/import-workflows.ts';
import type { InsertWorkflows } from '../src/temporal/insert-workflows.ts';
import type { FindConflictingRuns, StartInsert } from '../src/temporal/start-insert.ts';
import type { ProductParser } from './reading/parser-pool.ts';

export interface ImportDependencies {
  database: Database;
  storage: ArchiveStorage;
  mailer: Mailer;
  /** Domain of the summary's Message-ID. */
  mailDomain: string;
  /** Recipients of the daily digest, per client. */
  digests: readonly { clientId: string; addresses: readonly string[] }[];
  summaryLinks: SummaryLinks;
  /** On the web page, for mails. */
  importScreen: ImportUrl;
  webhooks: {
    rules: WebhookRules;
    sender: WebhookSender;
    /** Limits the concurrent messages to one client. */
    slots: ClientSlots;
    /** In the API. */
    importUrl: ImportUrl;
  };
  insertWorkflows: InsertWorkflows;
  findConflictingRuns: FindConflictingRuns;
  startInsert: StartInsert;
  importWorkflows: ImportWorkflows;
  webhookWorkflows: WebhookWorkflows;
  sessions: RegulatorSessions;
  /** Days after its upload until the package of an import is removed. */
  retentionDays: number;
  /** Days after its upload until the package of a failed import is removed. */
  failedRetentionDays: number;
  /** Days after which people are forgotten. Null for never. */
  auditRetentionDays: number | null;
}

export interface ReadingDependencies extends Pick<ImportDependencies, 'database' | 'storage'> {
  /** Counts the files of imports, per client. */
  files: ClientRateLimit;
  /** Memory for reading packages, over the whole process. */
  readingBudgets: ReadingBudgets;
  /** Time slice of reading, in milliseconds. */
  readingSliceMs: number;
  parser: ProductParser;
  /** Product checks that refuse a file instead of warning (`REFUSED_PRODUCT_CHECKS`). */
  refusedChecks: readonly ProductCheck[];
}

export interface InsertDependencies {
  database: Database;
  regulator: Regulator;
  sessions: RegulatorSessions;
  /** Limits the concurrent calls, over all workers, to the number that the regulator allows. */
  slots: RegulatorSlots;
  storage: ArchiveStorage;
  insertWorkflows: InsertWorkflows;
}
