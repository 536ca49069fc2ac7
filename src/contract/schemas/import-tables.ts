/**
 * Tables of an import, as CSV and as JSON Lines. Programs rely on the columns: names and order are stable, and new
 * columns come last.
 */
import { z } from 'zod';
import type { OperationId } from '../operations.ts';
import { QUEUE_STATUS } from '../statuses.ts';
import { idParams } from './common.ts';
import { describe } from './operation.ts';
import { submission } from './submissions.ts';

const { id, uuid, product_id, status, case_id, failure_reason, job_id, warnings, created_at, updated_at } =
  submission.shape;
const { product_type, submission_type, submission_date, modified_date } =
  submission.shape.regulator_data.shape;

const productRow = z.object({
  import_id: z.int(),
  submission_id: id,
  uuid,
  product_id,
  product_type,
  xml_file: z.string(),
  status,
  case_id,
  failure_reason,
  queue_status: z.literal(Object.values(QUEUE_STATUS)).nullable(),
  queue_message: z.string().nullable(),
  job_id,
  submission_type: submission_type.nullable(),
  submission_date: submission_date.nullable(),
  modified_date: modified_date.nullable(),
  warnings,
  created_at,
  updated_at,
});

/** A row for each product file that failed or was skipped, and each other XML file that was not read. */
const fileRow = z.object({
  import_id: z.int(),
  kind: z.enum(['product', 'attachment', 'submitter', 'other']),
  outcome: z.enum(['failed', 'skipped', 'unreadable']),
  path: z.string(),
  xml_file: z.string(),
  product_id: z.string().nullable(),
  reason: z.string(),
});

export type ProductRow = z.infer<typeof productRow>;
export type FileRow = z.infer<typeof fileRow>;

export const PRODUCT_COLUMNS = Object.keys(productRow.shape);
export const FILE_COLUMNS = Object.keys(fileRow.shape);

const CSV = {
  name: 'CSV',
  contentType: 'text/csv',
  how: 'Format: RFC 4180, UTF-8 with a byte order mark, with a header. A cell that a spreadsheet would read as a formula begins with an apostrophe. Several warnings are lines of one cell, each as one text.',
};
const JSON_LINES = {
  name: 'JSON Lines',
  contentType: 'application/jsonl',
  how: 'Format: one JSON object per line, in UTF-8.',
};

const PRODUCTS = { title: 'the products', columns: PRODUCT_COLUMNS };
const FILES = { title: 'the failed, skipped and unreadable files', columns: FILE_COLUMNS };

function table<const Id extends OperationId>(
  operationId: Id,
  { title, columns }: typeof PRODUCTS,
  { name, contentType, how }: typeof CSV,
) {
  const names = columns.map((column) => `\`${column}\``).join(', ');
  return describe(operationId, {
    tag: 'Package imports',
    summary: `Export ${title} of an import as ${name}`,
    description: `${how} Columns: ${names}. New columns are added at the end.`,
    params: idParams,
    answers: { 200: { contentType, description: 'The table, in the order of the archive' } },
    errors: { 404: 'The import does not exist, or belongs to another client' },
  });
}

export const getImportProductsCsv = table('getImportProductsCsv', PRODUCTS, CSV);
export const getImportProductsJsonLines = table('getImportProductsJsonLines', PRODUCTS, JSON_LINES);
export const getImportFilesCsv = table('getImportFilesCsv', FILES, CSV);
export const getImportFilesJsonLines = table('getImportFilesJsonLines', FILES, JSON_LINES);
