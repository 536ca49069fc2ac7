/**
 * Tables of an import, as CSV and as JSON Lines. Programs rely on the columns: names and order are stable, and new columns
 * come last.
 */
import { z } from 'zod';
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

const csv = { contentType: 'text/csv', description: 'The table, in the order of the archive' };
const jsonLines = { ...csv, contentType: 'application/jsonl' };

const HOW_CSV =
  'Format: RFC 4180, UTF-8 with a byte order mark, with a header. A cell that a spreadsheet would read as a formula begins with an apostrophe. Several warnings are lines of one cell, each as one text.';
const HOW_JSON_LINES = 'Format: one JSON object per line, in UTF-8.';

const PRODUCTS = 'Export the products of an import';
const FILES = 'Export the failed, skipped and unreadable files of an import';

const columnsIn = (columns: readonly string[]) =>
  `Columns: ${columns.map((column) => `\`${column}\``).join(', ')}. New columns are added at the end.`;

const common = {
  tag: 'Package imports',
  params: idParams,
  errors: { 404: 'The import does not exist, or belongs to another client' },
} as const;

export const getImportProductsCsv = describe('getImportProductsCsv', {
  ...common,
  summary: `${PRODUCTS} as CSV`,
  description: `${HOW_CSV} ${columnsIn(PRODUCT_COLUMNS)}`,
  answers: { 200: csv },
});

export const getImportProductsJsonLines = describe('getImportProductsJsonLines', {
  ...common,
  summary: `${PRODUCTS} as JSON Lines`,
  description: `${HOW_JSON_LINES} ${columnsIn(PRODUCT_COLUMNS)}`,
  answers: { 200: jsonLines },
});

export const getImportFilesCsv = describe('getImportFilesCsv', {
  ...common,
  summary: `${FILES} as CSV`,
  description: `${HOW_CSV} ${columnsIn(FILE_COLUMNS)}`,
  answers: { 200: csv },
});

export const getImportFilesJsonLines = describe('getImportFilesJsonLines', {
  ...common,
  summary: `${FILES} as JSON Lines`,
  description: `${HOW_JSON_LINES} ${columnsIn(FILE_COLUMNS)}`,
  answers: { 200: jsonLines },
});
