/** Imports and dry runs as tables and sentences. */
import { count } from '../src/common/text.ts';
import { NO_PRODUCTS, NOTES_REMOVED, reasonsText, reasonText } from '../src/contract/reasons.ts';
import { VERDICTS } from '../src/contract/statuses.ts';
import { INSERT_STEPS } from '../src/contract/steps.ts';
import type {
  DryRunResult,
  ImportReport,
  ImportResult,
  QueueResult,
  Submission,
} from '../src/contract/types.ts';
import { EXIT } from './outcome.ts';
import { type Cell, oneLine, tableOf } from './screen.ts';

/** An import as it was queued, or its current report. */
type ImportJson = ImportResult | ImportReport;

const UNREADABLE = ['failed', 'cancelled'];

/** Whether nothing failed, and the package has a product file. Skipped files and unfinished work are no failures. */
export function isGood(result: ImportJson): boolean {
  const { zip_import, submissions } = result;
  return (
    zip_import.failed.length === 0 &&
    !hasNoProducts(result) &&
    submissions.every(({ status }) => status === 'regulator_inserting' || status === 'regulator_inserted') &&
    !('status' in result && UNREADABLE.includes(result.status))
  );
}

/** Whether the package was read and has no product file. Later, retention removes the list of skipped files. */
function hasNoProducts(result: ImportJson): boolean {
  const { extracted_xml_files, warnings } = result.zip_import;
  const isRead = 'status' in result ? result.status === 'completed' : true;
  return isRead && extracted_xml_files === 0 && !warnings.some(({ text }) => text === NOTES_REMOVED);
}

/**
 * The exit code of an import: 3 if the package could not be read, 1 if the import failed otherwise, 4 if a part of it
 * failed or it has no products.
 */
export function exitCodeOf(result: ImportJson): number {
  if ('status' in result && result.status === 'failed')
    return result.failure_code === 'invalid_package' ? EXIT.packageRefused : EXIT.failed;
  return isGood(result) ? EXIT.ok : EXIT.productsFailed;
}

/** Every product and file of an import, with its outcome and reason. */
function importTable({ submissions, zip_import, queue }: ImportJson, width?: number): string {
  const results = new Map(queue.results.map((result) => [result.submission_id, result]));
  const rows = [
    ...submissions.map((submission) => [
      submission.id,
      submission.product_id,
      ...outcomeOf(submission, results.get(submission.id)),
    ]),
    ...zip_import.failed.map(({ xml_file, error }) => [null, xml_file, 'failed', error]),
    ...zip_import.skipped.map(({ xml_file, reason }) => [null, xml_file, 'skipped', reason]),
  ];
  if (rows.length === 0) return '';
  return tableOf(['Submission', 'Product or file', 'Result', 'Details'], rows, width);
}

function outcomeOf(submission: Submission, queued: QueueResult | undefined): [string, Cell] {
  const { status, case_id, failure_reason, warnings, state } = submission;
  const warned = warnings.length === 0 ? '' : `, ${count(warnings.length, 'warning')}`;
  switch (status) {
    case 'regulator_inserted':
      return ['inserted', `case ${case_id ?? '?'}${warned}`];
    case 'regulator_inserting': {
      const done = INSERT_STEPS.filter((step) => state[step]).length;
      return [done === 0 ? 'queued' : 'inserting', `${done} of ${INSERT_STEPS.length} steps${warned}`];
    }
    case 'regulator_insert_failed':
      return ['failed', failure_reason];
    case 'local':
      return [`not queued${queued ? ` (${queued.status})` : ''}`, queued?.message];
  }
}

/** `Import 7: 12 inserted, 1 failed, 2 files skipped.` */
function importSentence(result: ImportJson): string {
  const { id, submissions, zip_import } = result;
  const having = (status: Submission['status'], said: string): [number, string] => {
    const number = submissions.filter((submission) => submission.status === status).length;
    return [number, `${number} ${said}`];
  };
  const parts: [number, string][] = [
    having('regulator_inserted', 'inserted'),
    having('regulator_inserting', 'inserting'),
    having('regulator_insert_failed', 'failed'),
    having('local', 'not queued'),
    [zip_import.failed.length, `${count(zip_import.failed.length, 'file')} failed`],
    [zip_import.skipped_count, `${count(zip_import.skipped_count, 'file')} skipped`],
  ];
  const some = parts.filter(([number]) => number > 0).map(([, text]) => text);
  const state = 'status' in result ? ` ${result.status}` : '';
  return `Import ${id}${state}: ${some.length > 0 ? some.join(', ') : 'no products'}.`;
}

/** Table, further facts, and the sentence. */
export function importText(result: ImportJson, width?: number): string {
  const { zip_import, notification } = result;
  const reason = 'failure_reason' in result ? result.failure_reason : null;
  return [
    importTable(result, width),
    ...zip_import.warnings.map((warning) => `Warning: ${oneLine(reasonText(warning))}`),
    importSentence(result),
    ...(reason === null ? [] : [oneLine(reason)]),
    ...(notification ? [`Summary e-mail to ${oneLine(notification.email)}: ${notification.status}.`] : []),
    // The message of an upload says it already.
    ...('status' in result && hasNoProducts(result) ? [NO_PRODUCTS] : []),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Whether there are products, and every one could be imported. */
export function wouldSucceed({ counts }: Pick<DryRunResult, 'counts'>): boolean {
  return counts.refused === 0 && VERDICTS.some((verdict) => counts[verdict] > 0);
}

export function dryRunText({ products, counts, warnings }: DryRunResult, width?: number): string {
  const rows = products.map((product) => {
    const { xml_file, product_id, outcome } = product;
    return [xml_file, product_id, outcome, checkDetails(product)];
  });
  const some = VERDICTS.filter((verdict) => counts[verdict] > 0);
  const sentence = some.map((verdict) => `${counts[verdict]} ${verdict}`).join(', ');
  return [
    ...(rows.length > 0 ? [tableOf(['File', 'Product', 'Outcome', 'Details'], rows, width)] : []),
    ...warnings.map((warning) => `Warning: ${oneLine(reasonText(warning))}`),
    `Dry run, nothing was imported: ${sentence || 'no products'}.`,
    ...(some.length === 0 ? [NO_PRODUCTS] : []),
  ].join('\n');
}

function checkDetails(product: DryRunResult['products'][number]): Cell {
  const { changed_sections, reasons, warnings, product_type } = product;
  const details = [
    reasons.length > 0 ? reasonsText(reasons) : null,
    changed_sections.length > 0 ? `changed: ${changed_sections.join(', ')}` : null,
    warnings.length > 0 ? `${count(warnings.length, 'warning')}: ${reasonsText(warnings)}` : null,
  ].filter(Boolean);
  // A reason or warning may be a sentence with its own full stop.
  return details.length > 0 ? details.join('; ').replaceAll('.; ', '. ') : product_type;
}
