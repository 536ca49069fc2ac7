/** Summaries of imports: the table of `list`, and a line for each in `watch`. */
import { count, excerpt } from '../src/common/text.ts';
import type { ImportSummary } from '../src/contract/types.ts';
import type { InsertProgress } from './progress.ts';
import { oneLine, tableOf } from './screen.ts';

/** For the import bar: the ended part of the queued submissions, by outcome. */
export function insertProgressOf({ progress }: Pick<ImportSummary, 'progress'>): InsertProgress {
  const { regulator_inserting, regulator_inserted, regulator_insert_failed } = progress;
  return {
    total: regulator_inserting + regulator_inserted + regulator_insert_failed,
    inserted: regulator_inserted,
    failed: regulator_insert_failed,
  };
}

/** Characters of a file name and of a comment in a list. */
const EXCERPT = 24;

/** @param failing ids of the imports with failures: refused files are no part of their progress */
export function importListText(
  imports: readonly ImportSummary[],
  failing: ReadonlySet<number>,
  width?: number,
): string {
  const rows = imports.map((summary) => {
    const { id, zip_file, status, file_name, comment } = summary;
    const about = [file_name, comment ?? ''].filter((text) => text !== '');
    return [
      id,
      zip_file.uploaded_at.slice(0, '2026-01-31T12:00'.length),
      status,
      insertedOf(summary),
      failuresOf(summary, failing.has(id)),
      about.map((text) => excerpt(text, EXCERPT)).join(' – '),
    ];
  });
  return tableOf(['Import', 'Uploaded (UTC)', 'Status', 'Inserted', 'Failures', 'Package'], rows, width);
}

function insertedOf({ progress }: ImportSummary): string {
  const products = Object.values(progress).reduce((sum, one) => sum + one, 0);
  return products === 0 ? '' : `${progress.regulator_inserted} of ${products}`;
}

/** Products are `local` until they are queued, and remain so if they are not. */
function failuresOf({ status, completed_at, progress }: ImportSummary, hasFailures: boolean): string {
  const { local, regulator_insert_failed } = progress;
  const products = regulator_insert_failed + (completed_at === null ? 0 : local);
  if (status === 'failed') return 'package';
  if (products > 0) return count(products, 'product');
  return hasFailures && local === 0 ? 'files' : '';
}

/** `Import 7 inserting: 12 of 40 inserted, 1 failed – spring range` */
export function watchedText(summary: ImportSummary): string {
  const { id, status, comment } = summary;
  const { total, inserted, failed } = insertProgressOf(summary);
  const inserts = total > 0 ? `${inserted} of ${total} inserted, ${failed} failed` : 'no products yet';
  return oneLine(`Import ${id} ${status}: ${inserts}${comment ? ` – ${comment}` : ''}`);
}
