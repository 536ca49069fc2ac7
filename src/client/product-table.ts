/** What became of an import, as a table for programs that calculate. */
import { pipeline } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { ImportReportJson } from '../gateway/schemas/package-import.ts';
import type { ApiClient } from './api-client.ts';
import { packageImportsOf } from './package-imports.ts';

interface Row {
  kind: 'product' | 'file';
  submission_id: number | '';
  subject: string;
  type: string;
  status: string;
  case_id: string;
  reason: string;
  warnings: string;
}

const COLUMNS: readonly (keyof Row)[] = [
  ...(['kind', 'submission_id', 'subject', 'type', 'status', 'case_id', 'reason', 'warnings'] as const),
];

/**
 * CSV (RFC 4180) with a header, a line per product and per file that is none; made while it is read. Cells that a
 * spreadsheet would take for a formula begin with an apostrophe. Made of the report, until the gateway makes it.
 *
 * @throws ApiError, Unreachable
 */
export async function productsCsv(client: ApiClient, id: number): Promise<AsyncIterable<string>> {
  const { data } = await packageImportsOf(client).report(id);
  const csv = stringify({
    ...{ header: true, columns: [...COLUMNS], escape_formulas: true },
    // The library quotes cells that hold the delimiter: a line feed alone ends a line for many a reader, too.
    ...{ record_delimiter: 'windows', quoted_match: /[\r\n]/ },
  });
  // What goes wrong is told to who reads.
  return pipeline(rowsOf(data), csv.setEncoding('utf8'), () => {});
}

function* rowsOf({ submissions, zip_import }: ImportReportJson): Generator<Row> {
  for (const submission of submissions) {
    yield {
      ...{ kind: 'product', submission_id: submission.id, subject: submission.product_id },
      ...{ type: submission.regulator_data.product_type, status: submission.status },
      ...{ case_id: submission.case_id ?? '', reason: submission.failure_reason ?? '' },
      warnings: submission.warnings.join('\n'),
    };
  }
  const file = { kind: 'file', submission_id: '', type: '', case_id: '', warnings: '' } as const;
  for (const { xml_file, error } of zip_import.failed)
    yield { ...file, subject: xml_file, status: 'failed', reason: error };
  for (const { xml_file, reason } of zip_import.skipped)
    yield { ...file, subject: xml_file, status: 'skipped', reason };
}
