/**
 * Requests of the screens of the page and of the command line: lists, searches, reports, failures, statistics, the
 * audit trail.
 */
import { addressOf } from '../../src/contract/operations.ts';
import type { Orm } from '../../src/database/orm.ts';
import { createAuditTrailRepository } from '../../src/database/repositories/audit-trail.ts';
import { createFailureRepository } from '../../src/database/repositories/failures.ts';
import { createImportOutcomeRepository } from '../../src/database/repositories/import-outcomes.ts';
import { createImportRepository } from '../../src/database/repositories/imports.ts';
import { createNotificationRepository } from '../../src/database/repositories/mails.ts';
import { createReportRepository } from '../../src/database/repositories/reports.ts';
import { createStatisticsRepository } from '../../src/database/repositories/statistics.ts';
import { createSubmissionRepository } from '../../src/database/repositories/submissions.ts';
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { startGateway } from '../support/starters/gateway.ts';
import { caseIdOf, DAYS, FREQUENT, jobIdOf, type MadeUp, productIdOf, rareClient } from './made-up-rows.ts';

/** Addresses by what they show. */
function addresses({ openImport, submissions }: MadeUp): Record<string, string> {
  const ended = { id: openImport - 5 };
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const imports = (query: Record<string, string | number | boolean> = {}) =>
    addressOf('getPackageImports', {}, query);
  const products = (query: Record<string, string | number> = {}) => addressOf('getSubmissions', {}, query);
  const events = (query: Record<string, string | number> = {}) => addressOf('getAuditEvents', {}, query);
  const statistics = (query: Record<string, string>) => addressOf('getStatistics', {}, query);
  return {
    'imports, newest first': imports(),
    'imports, a page half a year ago': imports({ before: Math.ceil(openImport / 2) }),
    'imports of a day half a year ago': imports({ from: day(DAYS / 2), to: day(DAYS / 2) }),
    'imports with failures': imports({ has_failures: true }),
    'imports of a rare client with failures': imports({ client_id: rareClient(51), has_failures: true }),
    'imports by a file name that no import has': imports({ file_name: 'none' }),
    'imports by a comment that no import has': imports({ comment: 'none' }),
    'an import': addressOf('getPackageImport', ended, { view: 'summary' }),
    'the report of an import': addressOf('getPackageImport', ended),
    'the outcomes of an import': addressOf('getImportOutcomes', ended),
    'the outcomes of an import with a text': addressOf('getImportOutcomes', ended, { text: 'none' }),
    'the products of an import as CSV': addressOf('getImportProductsCsv', ended),
    'submissions, newest first': products(),
    'submissions that failed': products({ status: 'regulator_insert_failed' }),
    'submissions of an import': products({ import_id: ended.id }),
    'submissions by case': products({ case_id: caseIdOf(submissions - 500) }),
    'submissions by job': products({ job_id: jobIdOf(submissions - 500) }),
    'a submission': addressOf('getSubmission', { id: Math.floor(submissions / 2) }),
    'a product': addressOf('getProduct', { product_id: productIdOf(7) }),
    'failures of all clients': addressOf('getFailures'),
    'failures of a frequent client': addressOf('getFailures', {}, { client_id: FREQUENT }),
    'the days of a year': statistics({ from: day(DAYS), to: day(0) }),
    'the hours of three days': statistics({ from: day(2), to: day(0), by: 'hour' }),
    'stored packages': addressOf('getStored'),
    'the audit trail': events(),
    'the audit trail of an import': events({ import_id: ended.id }),
    'the audit trail of an action that nobody has done': events({ action: 'import.cancel' }),
    'the audit trail of a person who has done nothing': events({ actor: 'person:nobody' }),
  };
}

/** Starts a gateway on the database. Each function makes one request, and reads the whole answer. */
export async function screens(orm: Orm, madeUp: MadeUp): Promise<Record<string, () => Promise<void>>> {
  const database = {
    imports: createImportRepository(orm),
    importOutcomes: createImportOutcomeRepository(orm),
    notifications: createNotificationRepository(orm),
    reports: createReportRepository(orm),
    submissions: createSubmissionRepository(orm),
    failures: createFailureRepository(orm),
    statistics: createStatisticsRepository(orm),
    auditTrail: createAuditTrailRepository(orm),
  };
  const gateway = await startGateway({
    change: () => ({ database: database as unknown as GatewayDependencies['database'] }),
  });
  const open = async (address: string) => {
    const answer = await gateway.fetch(address);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${address} is ${answer.status}: ${text}`);
  };
  return Object.fromEntries(
    Object.entries(addresses(madeUp)).map(([name, address]) => [name, () => open(address)]),
  );
}
