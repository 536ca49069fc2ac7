import { z } from 'zod';
import { COMMENT_LOOKED_AT, LOOKED_AT } from '../limits.ts';
import { IMPORT_ACTIONS, IMPORT_STATUSES, NOTIFICATION_STATUSES } from '../statuses.ts';
import {
  clientText,
  FORBIDDEN,
  IN_ORDER,
  idParams,
  nextBefore,
  pageQuery,
  searchedText,
  timeQuery,
  timestamp,
} from './common.ts';
import { describe } from './operation.ts';
import { queueResult, statusCounts, submission } from './submissions.ts';

const failedFile = z.object({ xml_file: z.string(), error: z.string() });
const skippedFile = z.object({ xml_file: z.string(), reason: z.string() });

const notification = z.object({ email: z.string(), status: z.enum(NOTIFICATION_STATUSES) });

/** The current notification. `error` is not in the answer to the upload, because no mail has been tried then. */
const notificationNow = notification.extend({
  error: z.string().nullable().meta({ description: 'Why the last try to send the summary failed' }),
});

/** Interface §2.4–2.6; `zip_import.skipped` and `warnings` are additions of this service. */
export const importResult = z
  .object({
    id: z.int(),
    comment: z.string().nullable(),
    zip_file_path: z.string(),
    zip_file: z.object({ uploaded_at: timestamp, size_mb: z.string().meta({ example: '12.34' }) }),
    zip_import: z.object({
      extracted_xml_files: z.int().meta({ description: 'Always created + skipped + failed' }),
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
      warnings: z
        .array(z.string())
        .meta({ description: 'Attachment and submitter files that could not be read' }),
    }),
    queue: z.object({ queued_count: z.int(), failed_count: z.int(), results: z.array(queueResult) }),
    notification: notification.nullable(),
    submissions: z.array(submission),
  })
  .meta({ id: 'ImportResult' });

/** The state of an import: the fields that its report adds to the result of the upload. */
const importState = {
  status: z.enum(IMPORT_STATUSES),
  failure_reason: z.string().nullable().meta({ description: 'Why the package could not be read' }),
  completed_at: timestamp.nullable(),
  progress: statusCounts.meta({ description: 'Number of its submissions by status' }),
  actions: z.array(z.enum(IMPORT_ACTIONS)).meta({ description: 'Actions that the import offers now' }),
  cancellation: z
    .object({ requested_by: z.string(), requested_at: timestamp })
    .nullable()
    .meta({ description: 'The actor of the cancellation, as in the audit trail' }),
};

const importReport = z
  .object({ ...importResult.shape, notification: notificationNow.nullable(), ...importState })
  .meta({ id: 'ImportReport' });

const importSummary = z
  .object({
    id: z.int(),
    client_id: z.string().meta({ description: 'The client that sent the package' }),
    file_name: z.string(),
    comment: z.string().nullable(),
    zip_file: importResult.shape.zip_file,
    warned: z.int().meta({ description: 'Products with warnings' }),
    ...importState,
  })
  .meta({ id: 'ImportSummary' });

/** Counts of a list, on its first page only. */
const importCounts = z
  .object({
    by_status: z.record(z.enum(IMPORT_STATUSES), z.int()),
    complete: z
      .boolean()
      .meta({ description: `False if only the newest ${LOOKED_AT} imports were searched` }),
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
      description: `A part of the first ${COMMENT_LOOKED_AT} characters of the comment, in any case`,
    }),
    ...timeQuery,
    status: z.enum(IMPORT_STATUSES).optional(),
    has_failures: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional()
      .meta({
        description:
          'Whether the package could not be read, or a product of it could not be read, was not queued, or failed',
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
    `A request searches ${LOOKED_AT} imports for texts and failures. A page may be short or empty although more follow: ` +
    'the list ends where `next_before` is null.',
  query: listQuery,
  answers: { 200: { description: 'One page', data: importPage } },
  errors: { 403: FORBIDDEN },
});

/** Description of the error 429 of a large answer. */
export const REPORTS_UNDER_WAY =
  'Too many requests of this client, or large reports under way; the header `Retry-After` says when to come back';

export const getPackageImport = describe('getPackageImport', {
  tag,
  summary: 'The import result as it stands now',
  params: idParams,
  query: z.object({
    view: z.enum(['full', 'summary']).default('full').meta({
      description: '`summary` leaves the products out, for polling of a large import',
    }),
  }),
  answers: { 200: { description: 'The import', data: z.union([importReport, importSummary]) } },
  errors: { 404: 'No such import, or not yours', 429: REPORTS_UNDER_WAY },
});

export const postImportCancellation = describe('postImportCancellation', {
  tag,
  summary: 'Cancel an import that is under way',
  description:
    'Inserts under way end after the call to the regulator that they are in, as failed; what has been inserted ' +
    'stays; what was not begun is not queued. The summary goes out and says who has cancelled. Asking again changes nothing.',
  params: idParams,
  answers: {
    202: { description: 'The import is being cancelled, or has been cancelled', data: importSummary },
  },
  errors: { 404: 'No such import, or not yours', 409: 'The import is over' },
});

/** The file of a repair pack with the reason for each product file. */
export const REPAIR_REASONS = 'reasons.csv';

export const getRepairPack = describe('getRepairPack', {
  tag,
  summary: 'The product files that failed, as a package to be mended and sent again',
  description:
    `Contains only the product files that could not be read or inserted, where the import expects them, and ${REPAIR_REASONS}. ` +
    'Attachments and submitters need not be sent again: the service keeps those of earlier packages.',
  params: idParams,
  answers: { 200: { contentType: 'application/zip', description: 'The package' } },
  errors: {
    404: 'No such import, or not yours; or nothing of it failed',
    409: 'The package is still being read, or could not be read at all',
    410: 'The package has been removed by retention',
  },
});
