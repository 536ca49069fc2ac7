/** Actions of a client on an import: retry, cancellation, repair pack, original package. */
import { z } from 'zod';
import { GREATEST_ID } from '../limits.ts';
import { digits, idParams, pageQuery, timestamp } from './common.ts';
import { describe } from './operation.ts';
import { importSummary } from './package-imports.ts';
import { queueResult } from './submissions.ts';

const retriedResult = queueResult
  .extend({ product_id: z.string() })
  .meta({ id: 'RetriedQueueResult', description: 'A queue result with its product' });

/** Retry of an import: queue results (interface §2.6), in pages. */
const importRetry = z
  .object({
    queued_count: z.int(),
    failed_count: z.int().meta({ description: 'Products that could not be queued: status 409 or 503' }),
    pending_count: z.int().meta({ description: 'Products without a result yet' }),
    results: z.array(retriedResult),
    next_after: z
      .int()
      .nullable()
      .meta({ description: '`after` of the next page; null if no results follow' }),
    requested_by: z
      .string()
      .nullable()
      .meta({ description: 'Actor, as in the audit trail; null if there was nothing to retry' }),
    requested_at: timestamp.nullable(),
    ended_at: timestamp.nullable().meta({ description: 'Time at which the last product had its result' }),
  })
  .meta({ id: 'ImportRetry' });

export type ImportRetry = z.infer<typeof importRetry>;

const tag = 'Package imports';

const limitQuery = z.object({ limit: pageQuery.shape.limit });
const resultsQuery = z.object({
  ...limitQuery.shape,
  after: digits(0, GREATEST_ID)
    .prefault(0)
    .meta({ description: 'Only results after this submission; `next_after` of the previous page' }),
});

export const postImportRetry = describe('postImportRetry', {
  tag,
  summary: 'Retry an import',
  description:
    'Records every submission that offers `regulator-insert` now, and starts their inserts one after the other, even if ' +
    'the client disconnects. The answer has the first results. GET on the same path has the others. A repeated request ' +
    'returns the same retry while it runs, or while its inserts run and there is nothing else to retry.',
  params: idParams,
  query: limitQuery,
  answers: { 202: { description: 'The retry is running, or there is nothing to retry', data: importRetry } },
  errors: {
    404: 'The import does not exist, or belongs to another client',
    409: 'The import has not been queued yet, could not be read, or is being cancelled',
    412: 'No active regulator session',
  },
});

export const getImportRetry = describe('getImportRetry', {
  tag,
  summary: 'Get the progress and the results of the last retry',
  params: idParams,
  query: resultsQuery,
  answers: { 200: { description: 'A page of results, in the order of the archive', data: importRetry } },
  errors: { 404: 'The import does not exist, belongs to another client, or was never retried' },
});

export const postImportCancellation = describe('postImportCancellation', {
  tag,
  summary: 'Cancel an import',
  description:
    'Running inserts finish their current call to the regulator and then fail. Inserted products stay inserted. Other ' +
    'products are not queued. The summary e-mail names the actor of the cancellation. A repeated request changes nothing.',
  params: idParams,
  answers: {
    202: { description: 'The import is being cancelled, or is cancelled', data: importSummary },
  },
  errors: {
    404: 'The import does not exist, or belongs to another client',
    409: 'The import has already ended',
  },
});

/** The file of a repair pack with the reason for each product file. */
export const REPAIR_REASONS = 'reasons.csv';

export const getRepairPack = describe('getRepairPack', {
  tag,
  summary: 'Download the repair pack of an import',
  description:
    `A package with only the product files that could not be read or inserted, and their reasons in ${REPAIR_REASONS}. ` +
    'Correct the files and upload the package. It needs no attachments and submitters: the service keeps those of ' +
    'earlier packages.',
  params: idParams,
  answers: { 200: { contentType: 'application/zip', description: 'The repair pack' } },
  errors: {
    404: 'The import does not exist, belongs to another client, or has no failed products',
    409: 'The package is still being read, or could not be read as a whole',
    410: 'Retention has removed the package',
  },
});

export const getFailedFile = describe('getFailedFile', {
  tag,
  summary: 'Download a product file that failed, to correct it',
  description:
    'The product file as it was uploaded, if it could not be read, inserted or queued. Correct it, and upload it with ' +
    '`mends`. If several such files have the name, it is the first of the archive.',
  params: idParams.extend({
    xml_file: z.string().meta({ description: 'Name of the file, as in the import' }),
  }),
  answers: { 200: { contentType: 'application/xml', description: 'The product file' } },
  errors: {
    404: 'The import does not exist, belongs to another client, or has no such failed file',
    409: 'The package is still being read, or could not be read as a whole',
    410: 'Retention has removed the package',
  },
});

const packageHeaders = ['ETag', 'Repr-Digest', 'Accept-Ranges'] as const;

export const getOriginalPackage = describe('getOriginalPackage', {
  tag,
  summary: 'Download the package of an import as it was uploaded',
  description:
    'Byte for byte, until retention removes it. `Range` asks for one part, `If-Range` with the `ETag` for the rest of an interrupted download. `If-None-Match` with the `ETag` asks only whether the package is still there.',
  params: idParams,
  headers: z.object({
    range: z.string().optional().meta({ description: 'One range of bytes', example: 'bytes=1048576-' }),
    'if-range': z.string().optional().meta({ description: '`ETag` of the earlier parts' }),
    'if-none-match': z.string().optional().meta({ description: '`ETag` of a package that the client has' }),
  }),
  answers: {
    200: { contentType: 'application/zip', description: 'The package', headers: packageHeaders },
    206: {
      contentType: 'application/zip',
      description: 'The requested part of the package',
      headers: [...packageHeaders, 'Content-Range'],
    },
  },
  errors: {
    404: 'The import does not exist, or belongs to another client',
    410: 'Retention has removed the package',
    416: 'The range begins behind the end of the package',
  },
});
