/** Frequent queries of the service, which must stay fast for any number of submissions. */
import { randomUUID } from 'node:crypto';
import { plainReason } from '../../src/contract/reasons.ts';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import type { Orm } from '../../src/database/orm.ts';
import { createImportOutcomeRepository } from '../../src/database/repositories/import-outcomes.ts';
import { createImportRepository } from '../../src/database/repositories/imports.ts';
import { createInsertRunRepository } from '../../src/database/repositories/insert-runs.ts';
import { createInsertStepRepository } from '../../src/database/repositories/insert-steps.ts';
import { createDigestRepository } from '../../src/database/repositories/mails.ts';
import { createReconciliationRepository } from '../../src/database/repositories/open-work.ts';
import { createProductHistoryRepository } from '../../src/database/repositories/product-history.ts';
import { createQueueRepository } from '../../src/database/repositories/queue.ts';
import { createReadingRepository } from '../../src/database/repositories/reading.ts';
import { createReferredFileRepository } from '../../src/database/repositories/referred-files.ts';
import { createReportRepository } from '../../src/database/repositories/reports.ts';
import { createRetentionRepository } from '../../src/database/repositories/retention.ts';
import { createStatisticsRepository } from '../../src/database/repositories/statistics.ts';
import { createSubmissionRepository } from '../../src/database/repositories/submissions.ts';
import { BATCH_SIZE } from '../../src/domain/package-import.ts';
import { queued } from '../../src/domain/queue.ts';
import {
  attachmentIdOf,
  DAYS,
  FREQUENT,
  jobIdOf,
  type MadeUp,
  productIdOf,
  rareClient,
  SILENT,
} from './made-up-rows.ts';

const PAGE = { limit: 51 };
const LONG_AGO = new Date(0);
/** 90 days, the default of retention. */
const EXPIRED_AFTER_MS = 90 * 86_400_000;

/** By what they are for. Each asks for a few rows among all that were made up. */
export function hotLookUps(orm: Orm, { submissions: all, imports: allImports, openImport }: MadeUp) {
  const submissions = createSubmissionRepository(orm);
  const imports = createImportRepository(orm);
  const reading = createReadingRepository(orm);
  const productHistory = createProductHistoryRepository(orm);
  const referredFiles = createReferredFileRepository(orm);
  const queue = createQueueRepository(orm);
  const runs = createInsertRunRepository(orm);
  const steps = createInsertStepRepository(orm);
  const reconciliation = createReconciliationRepository(orm);
  const reports = createReportRepository(orm);
  const outcomes = createImportOutcomeRepository(orm);
  const middle = Math.floor(all / 2);
  const productIds = Array.from({ length: 32 }, (_, n) => productIdOf(n + 1));
  const attachmentIds = Array.from({ length: 32 }, (_, n) => attachmentIdOf((n + 1) * 10));
  const runId = randomUUID();
  const rare = rareClient(51);
  const ofOpen = { tenant: FREQUENT, importId: openImport };
  return {
    'the submissions that 200 conflicting runs work on': () =>
      submissions.findByJobIds(Array.from({ length: BATCH_SIZE }, (_, n) => jobIdOf(n + 1))),
    'submissions, newest first: all': () => submissions.list({}, PAGE),
    'of a frequent client': () => submissions.list({ tenant: FREQUENT }, PAGE),
    'of a rare client': () => submissions.list({ tenant: rare }, PAGE),
    'of a client that has long been silent': () => submissions.list({ tenant: SILENT }, PAGE),
    'of a client that has long been silent, the next page': () =>
      submissions.list({ tenant: SILENT }, { ...PAGE, before: Math.floor(all / 200) }),
    'of a client that has long been silent, failed': () =>
      submissions.list({ tenant: SILENT, status: 'regulator_insert_failed' }, PAGE),
    'of a frequent client, failed': () =>
      submissions.list({ tenant: FREQUENT, status: 'regulator_insert_failed' }, PAGE),
    'of all clients, failed': () => submissions.list({ status: 'regulator_insert_failed' }, PAGE),
    'of a product': () => submissions.list({ tenant: FREQUENT, productId: productIdOf(7) }, PAGE),
    'of an import': () => submissions.list({ tenant: FREQUENT, importId: openImport - 5 }, PAGE),
    'how many submissions of a page of imports have which status': () =>
      submissions.countByImport(Array.from({ length: Math.min(50, allImports / 20) }, (_, n) => n + 1)),
    'imports of a client that has long been silent': () => imports.list({ tenant: SILENT }, PAGE),
    'the outcomes of an import': () => outcomes.list({ importId: openImport }, PAGE),
    'how many files of an import have which outcome': () => outcomes.counts(openImport),
    'the version of a report': () => imports.version(openImport),
    'a page of a report': () => reports.submissions(openImport).next(),
    'how many products a report tells of': () =>
      reports.onSnapshot(openImport, (moment) => moment.submissionCounts()),
    'the newest submissions of products': () =>
      productHistory.latestSubmissions(productIds, { tenant: FREQUENT, beforeImport: openImport }),
    'what of an import is recorded': () => reading.recorded(openImport),
    'the newest versions of attachments': () => referredFiles.latestAttachments(attachmentIds, ofOpen),
    'the newest submitters': () => referredFiles.latestSubmitters(['10001'], ofOpen),
    'a batch': () => queue.batch(openImport, 1),
    'how far an import is': () => queue.progress(openImport),
    'how far a batch is': () => queue.progress(openImport, 1),
    'what of an import is not queued': () => queue.unqueuedSubmissions(openImport),
    'results of queuing': () => queue.recordResults(openImport, [queued(all - 1, runId)], 'test'),
    'a run begins': () => runs.begin(all, runId, 'test'),
    'a step begins': () => steps.enterStep(all, 'init_validate', runId),
    'a step is completed, the next begins': () =>
      steps.completeStep(
        { id: all, remaining: [...INSERT_STEPS] },
        'init_validate',
        { runId, actor: 'test' },
        {},
      ),
    'a run fails': () => runs.fail(all, runId, [plainReason('rejected')], 'test'),
    'what is under way': () => reconciliation.inserting(0, 0, 500),
    'imports that are open': () => reconciliation.openImports(0, 0, 500),
    'a submission': () => submissions.find(middle),
  } satisfies Record<string, () => Promise<unknown>>;
}

/** Work at night or on request of an operator, in the order in which it runs. */
export function nightly(orm: Orm) {
  const retention = createRetentionRepository(orm);
  const statistics = createStatisticsRepository(orm);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const expiry = { uploadedBefore: new Date(Date.now() - EXPIRED_AFTER_MS), failedBefore: LONG_AGO };
  return {
    'packages that have expired, the next 500': () => retention.expiredImports(expiry, 0, 500),
    'attachments that are needed': () =>
      retention.recordedAttachments(
        Array.from({ length: 500 }, (_, n) => `attachments/${(n + 1) * 10}`),
        LONG_AGO,
      ),
    'packages that are kept, of 500': () =>
      retention.recordedPackages(Array.from({ length: 500 }, (_, n) => `packages/${n + 1}`)),
    'the packages of 10 imports are removed': async () => {
      for (const { importId } of await retention.expiredImports(expiry, 0, 10))
        await retention.removeExpired(importId, expiry, 'retention');
    },
    'the days whose statistics are due': () => statistics.daysDue(DAYS),
    'the statistics of yesterday': () => statistics.countDay(yesterday),
    'the imports of a digest': () => createDigestRepository(orm).ofDay(FREQUENT, yesterday, 200),
  } satisfies Record<string, () => Promise<unknown>>;
}
