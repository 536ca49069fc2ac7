import { z } from 'zod';
import { IMPORT_ACTIONS } from '../../domain/import-actions.ts';
import { NOTIFICATION_STATUSES } from '../../domain/notification.ts';
import { IMPORT_STATUSES, LOOKED_AT } from '../../domain/package-import.ts';
import { timestamp } from './common.ts';
import { queueResult, statusCounts, submission } from './submission.ts';

const failedFile = z.object({ xml_file: z.string(), error: z.string() });
const skippedFile = z.object({ xml_file: z.string(), reason: z.string() });

const notification = z.object({ email: z.string(), status: z.enum(NOTIFICATION_STATUSES) });

/** What can be said later: at the moment of queuing no mail has been tried. */
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

/** Where an import is: what reading it adds to the result of the upload. */
const importState = {
  status: z.enum(IMPORT_STATUSES),
  failure_reason: z.string().nullable().meta({ description: 'Why the package could not be read' }),
  completed_at: timestamp.nullable(),
  progress: statusCounts.meta({ description: 'How many of its submissions have which status' }),
  actions: z.array(z.enum(IMPORT_ACTIONS)).meta({ description: 'What can be asked of it now, as a whole' }),
  cancellation: z
    .object({ requested_by: z.string(), requested_at: timestamp })
    .nullable()
    .meta({ description: 'Who has asked for its cancellation, as in the audit trail' }),
};

export const importReport = z
  .object({ ...importResult.shape, notification: notificationNow.nullable(), ...importState })
  .meta({ id: 'ImportReport' });

export const importSummary = z
  .object({
    id: z.int(),
    client_id: z.string().meta({ description: 'Who has sent it' }),
    file_name: z.string(),
    comment: z.string().nullable(),
    zip_file: importResult.shape.zip_file,
    warned: z.int().meta({ description: 'Products with warnings' }),
    ...importState,
  })
  .meta({ id: 'ImportSummary' });

/** Of a list, on its first page. */
export const importCounts = z
  .object({
    by_status: z.record(z.enum(IMPORT_STATUSES), z.int()),
    complete: z.boolean().meta({ description: `False where only the newest ${LOOKED_AT} were looked at` }),
  })
  .meta({
    id: 'ImportCounts',
    description: 'How many imports have which status, whatever `status` is asked for; null on further pages',
  });

export type ImportResultJson = z.infer<typeof importResult>;
export type ImportReportJson = z.infer<typeof importReport>;
export type ImportSummaryJson = z.infer<typeof importSummary>;
