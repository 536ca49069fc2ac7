import { z } from 'zod';
import { IMPORT_FAILURE_CODES } from '../error-codes.ts';
import { COMMENT_SCAN_LENGTH, SCAN_LIMIT } from '../limits.ts';
import { IMPORT_ACTIONS, IMPORT_STATUSES, NOTIFICATION_STATUSES } from '../statuses.ts';
import {
  clientText,
  FORBIDDEN,
  IN_ORDER,
  idParams,
  nextBefore,
  pageQuery,
  reason,
  searchedText,
  timeQuery,
  timestamp,
  trueOrFalse,
} from './common.ts';
import { describe } from './operation.ts';
import { queueResult, statusCounts, submission } from './submissions.ts';

const failedFile = z.object({
  xml_file: z.string(),
  error: z
    .string()
    .meta({ description: 'The product ID, if it could be read, and all `reasons` in one text' }),
  reasons: z.array(reason),
});
const skippedFile = z.object({ xml_file: z.string(), reason: z.string() });

const notification = z.object({ email: z.string(), status: z.enum(NOTIFICATION_STATUSES) });

/** The current notification. `error` is not in the answer to the upload, because no mail has been tried then. */
const notificationNow = notification.extend({
  error: z
    .string()
    .nullable()
    .meta({ description: 'Reason why the last attempt to send the summary failed' }),
});

/** Interface §2.4–2.6; `zip_import.skipped`, `warnings` and `reasons` are additions of this service. */
export const importResult = z
  .object({
    id: z.int(),
    comment: z.string().nullable(),
    zip_file_path: z.string(),
    zip_file: z.object({ uploaded_at: timestamp, size_mb: z.string().meta({ example: '12.34' }) }),
    zip_import: z.object({
      extracted_xml_files: z
        .int()
        .meta({ description: 'Number of product files: created + skipped + failed' }),
      skipped_count: z.int(),
      created_submissions: z.array(
        z.object({
          id: z.int(),
          product_id: z.string(),
          product_type: z.string(),
          status: submission.shape.status,
        }),
      ),
      failed: z.array(failedFile),
      skipped: z.array(skippedFile),
      warnings: z.array(reason).meta({
        description: 'Attachment and submitter files that could not be read, and XML files in other folders',
      }),
    }),
    queue: z.object({ queued_count: z.int(), failed_count: z.int(), results: z.array(queueResult) }),
    notification: notification.nullable(),
    submissions: z.array(submission),
  })
  .meta({ id: 'ImportResult' });

/** The state of an import: the fields that its report adds to the result of the upload. */
const importState = {
  status: z.enum(IMPORT_STATUSES),
  failure_reason: z.string().nullable().meta({ description: 'Reason why the import failed' }),
  failure_code: z
    .enum(IMPORT_FAILURE_CODES)
    .nullable()
    .meta({
      description:
        'The error code of the upload of a failed import: `invalid_package` if its package cannot be read, another one if the ' +
        'package is not at fault',
    }),
  completed_at: timestamp.nullable(),
  progress: statusCounts.meta({ description: 'Number of submissions by status' }),
  actions: z.array(z.enum(IMPORT_ACTIONS)).meta({ description: 'Actions that the import offers now' }),
  cancellation: z
    .object({ requested_by: z.string(), requested_at: timestamp })
    .nullable()
    .meta({ description: 'The actor of the cancellation, as in the audit trail' }),
};

const importReport = z
  .object({ ...importResult.shape, notification: notificationNow.nullable(), ...importState })
  .meta({ id: 'ImportReport' });

export const importSummary = z
  .object({
    id: z.int(),
    client_id: z.string().meta({ description: 'The client that sent the package' }),
    file_name: z.string(),
    comment: z.string().nullable(),
    zip_file: importResult.shape.zip_file,
    warned: z.int().meta({ description: 'Number of products with warnings' }),
    refused: z.int().meta({ description: 'Number of product files that could not be read' }),
    read_at: timestamp.nullable().meta({ description: 'Time when every file of the package had been read' }),
    notification: notificationNow
      .nullable()
      .meta({ description: 'The summary mail; null without recipients' }),
    retried: z
      .boolean()
      .meta({ description: 'Whether the import was retried: `actions/regulator-insert` has the progress' }),
    ...importState,
  })
  .meta({ id: 'ImportSummary' });

/** Counts of a list, on its first page only. */
const importCounts = z
  .object({
    by_status: z.record(z.enum(IMPORT_STATUSES), z.int()),
    complete: z
      .boolean()
      .meta({ description: `False if only the newest ${SCAN_LIMIT} imports were searched` }),
  })
  .meta({
    id: 'ImportCounts',
    description: 'Number of imports by status, regardless of the filter `status`; null on further pages',
  });

export type ImportResult = z.infer<typeof importResult>;
export type ImportReport = z.infer<typeof importReport>;
export type ImportSummary = z.infer<typeof importSummary>;

const tag = 'Package imports';

const listQuery = z
  .object({
    client_id: clientText,
    file_name: searchedText
      .optional()
      .meta({ description: 'A part of the name of the ZIP file, in any case', example: 'export' }),
    comment: searchedText.optional().meta({
      description: `A part of the first ${COMMENT_SCAN_LENGTH} characters of the comment, in any case`,
    }),
    ...timeQuery,
    status: z.enum(IMPORT_STATUSES).optional(),
    has_failures: trueOrFalse.optional().meta({
      description:
        '`true`: only imports with a failure (reading the package, or reading, queuing or inserting one of its products). `false`: only imports without one',
    }),
    ...pageQuery.shape,
  })
  .refine(({ from, to }) => !(from && to && from >= to), IN_ORDER);

export type ImportListQuery = z.input<typeof listQuery>;

const importPage = z.object({
  imports: z.array(importSummary),
  counts: importCounts.nullable(),
  next_before: nextBefore,
});

export type ImportPage = z.infer<typeof importPage>;

export const getPackageImports = describe('getPackageImports', {
  tag,
  summary: 'List imports, newest first',
  description:
    `A request searches at most ${SCAN_LIMIT} imports for texts and failures. A page may be short or empty although more ` +
    'pages follow. The list ends when `next_before` is null.',
  query: listQuery,
  answers: { 200: { description: 'A page of imports', data: importPage } },
  errors: { 403: FORBIDDEN },
});

export const getPackageImport = describe('getPackageImport', {
  tag,
  summary: 'Get an import',
  description: 'The result of the upload with the current statuses, and the state of the import.',
  params: idParams,
  query: z.object({
    view: z.enum(['full', 'summary']).default('full').meta({
      description: '`summary` omits the products, to poll a large import',
    }),
  }),
  answers: { 200: { description: 'The import', data: z.union([importReport, importSummary]) } },
  errors: { 404: 'The import does not exist, or belongs to another client' },
});
