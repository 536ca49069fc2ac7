/** `POST /regulator/package-import` (interface §4.1): the query, the header, the form and the answers of an upload. */
import { z } from 'zod';
import { excerpt } from '../../common/text.ts';
import {
  ADDRESS_LENGTH,
  BYTES_PER_MB,
  COMMENT_LENGTH,
  IDEMPOTENCY_KEY_CHARACTERS,
  IDEMPOTENCY_KEY_LENGTH,
  MAX_RECIPIENTS,
  WEBHOOK_URL_LENGTH,
} from '../limits.ts';
import { PERMISSIONS } from '../operations.ts';
import { addressesIn } from '../recipients.ts';
import { VERDICTS } from '../statuses.ts';
import { INSERT_STEPS } from '../steps.ts';
import { eachOf, identifier, reason, trueOrFalse, WITHOUT_NUL } from './common.ts';
import { describe } from './operation.ts';
import { importResult } from './package-imports.ts';

const verdictCounts = eachOf(VERDICTS, z.int());

const productDiff = z
  .object({
    submission_id: z.int().nullable().meta({
      description: "The product's last inserted submission; null if the package has too many differences",
    }),
    patch: z.string().meta({
      description:
        'A unified diff of each section that differs, one line per field; empty if no section differs',
      example:
        '--- submission-7/design\n+++ package/design\n@@ -1,1 +1,1 @@\n-Design/Description: "A bottle"\n+Design/Description: "A can"\n',
    }),
    left_out: z
      .string()
      .nullable()
      .meta({ description: 'Reason why sections are missing; null if none is missing' }),
  })
  .meta({ id: 'ProductDiff' });

/** One product file of the package. */
const dryRunProduct = z.object({
  xml_file: z.string(),
  product_id: z.string().nullable(),
  product_type: z.string().nullable(),
  outcome: z.enum(VERDICTS).meta({
    description:
      '`new` and `changed` would become submissions; `unchanged` has been inserted with the same content; `skipped` is ' +
      'left out; `refused` cannot be read',
  }),
  changed_sections: z
    .array(z.enum(INSERT_STEPS))
    .meta({ description: "Sections that differ from the product's last submission" }),
  reasons: z.array(reason).meta({
    description:
      'Reasons why the product would not be sent, or why an unchanged product would be sent again; else empty',
  }),
  warnings: z.array(reason),
  diff: productDiff
    .nullable()
    .optional()
    .meta({
      description:
        'Only with `diff=true`: the difference to the last inserted submission; null if the product would not be sent or ' +
        'was never inserted',
    }),
});

/** The answer to `dry_run=true`. */
const dryRunResult = z
  .object({
    dry_run: z.literal(true),
    zip_file: importResult.shape.zip_file,
    counts: verdictCounts,
    products: z.array(dryRunProduct),
    warnings: importResult.shape.zip_import.shape.warnings,
  })
  .meta({ id: 'DryRunResult' });

export type ProductDiff = z.infer<typeof productDiff>;
export type DryRunProduct = z.infer<typeof dryRunProduct>;
export type DryRunResult = z.infer<typeof dryRunResult>;

/** Parameters that must be known before the body is read (decision §refuse-before-the-body). */
const query = z
  .object({
    dry_run: trueOrFalse.optional().meta({
      description:
        '`true` checks the package and imports nothing. It needs no regulator session, unlike the part `dry_run` of the form',
    }),
    diff: trueOrFalse.optional().meta({
      description:
        'Only with `dry_run=true`. `true` adds the differences between each product and its last inserted submission',
    }),
    mends: identifier.optional().meta({
      description:
        'Import whose failed product file this upload corrects. `file` is then the corrected XML, with the name that it ' +
        `has in that import. Also needs the permission \`${PERMISSIONS.mendProducts}\`. The import belongs to the owner of that import. The audit trail records the digests of both files`,
    }),
  })
  .refine(({ dry_run, diff }) => dry_run || !diff, 'diff=true requires dry_run=true');

export const idempotencyKey = z.string().max(IDEMPOTENCY_KEY_LENGTH).regex(IDEMPOTENCY_KEY_CHARACTERS);

const headers = z.object({
  'Idempotency-Key': idempotencyKey.optional().meta({
    description:
      'Chosen by the client, e.g. a UUID. A repeated request with the same key within a day gets the first answer and ' +
      'imports nothing.',
    example: '1a2c1f8e-6f6b-4c8e-9d5d-0f2c4b8d9a10',
  }),
});

const NO_ADDRESS = 'is not a valid e-mail address';
/** Names the address, which is one of several. */
const addressFault = {
  error: ({ input }: { input?: unknown }) => `has "${excerpt(String(input))}", which ${NO_ADDRESS}`,
};

const textPart = (most: number) =>
  z
    .string('must be given once')
    .max(most, `is longer than ${most} characters`)
    .regex(WITHOUT_NUL, 'must not contain NUL')
    .optional();

/** The text parts of the form. */
export const uploadFields = z.object({
  comment: textPart(COMMENT_LENGTH).meta({ description: 'Import comment, copied to every submission' }),
  email: z
    .string(NO_ADDRESS)
    .transform(addressesIn)
    .pipe(
      z
        .array(z.email(addressFault).max(ADDRESS_LENGTH, addressFault))
        .min(1, NO_ADDRESS)
        .max(MAX_RECIPIENTS, `has more than ${MAX_RECIPIENTS} addresses`),
    )
    .optional()
    .meta({
      description: `Recipients of the summary e-mail: at most ${MAX_RECIPIENTS}, separated by commas or in several parts. An empty part counts as absent`,
      example: 'person@company.example',
    }),
  webhook_url: textPart(WEBHOOK_URL_LENGTH).meta({
    description:
      "URL that gets a message at the end of the import, in addition to the client's webhook. Requires a registered webhook, because its secret signs the message",
  }),
  dry_run: z
    .enum(['true', 'false'], 'must be true or false')
    .optional()
    .meta({ description: '`true` checks the package and imports nothing' }),
});

/** A limit in bytes as whole MB, for messages to clients. */
export function wholeMb(bytes: number): number {
  return Math.floor(bytes / BYTES_PER_MB);
}

/** @param maxUploadBytes as configured by the operators */
export function postPackageImportOf(maxUploadBytes: number) {
  const mb = wholeMb(maxUploadBytes);
  const file = z
    .string()
    .meta({ format: 'binary', description: `ZIP archive with the extension .zip, at most ${mb} MB` });
  return describe('postPackageImport', {
    tag: 'Package imports',
    summary: 'Import a package ZIP',
    description:
      'Stores the ZIP, creates a submission for every product XML, queues each submission for import into the ' +
      "regulator's system, and answers with the result of each. The import continues after the answer. With " +
      '`dry_run=true`, in the query or the form, the service reads and checks the package in the same way, but stores, ' +
      'creates and queues nothing.',
    query,
    headers,
    multipart: z.object({ file, ...uploadFields.shape }),
    answers: {
      200: {
        description: 'The ZIP was processed or checked. Details of partial results are in `data`',
        data: z.union([importResult, dryRunResult]),
        headers: ['Location', 'Idempotent-Replayed'],
      },
    },
    errors: {
      404: 'With `mends`: the import does not exist, belongs to another client, or has no such failed file',
      410: 'With `mends`: retention has removed the package',
      400: 'No file, not a .zip, not multipart, an invalid query or e-mail address, or a `webhook_url` that is not allowed',
      409: 'The form has a `webhook_url`, but the client has no webhook whose secret could sign the message. With `mends`: as for the failed file',
      412: 'No active regulator session, and the query requests no dry run. `data.regulator_session_message` has the reason',
      413: `The ZIP file is larger than ${mb} MB`,
      422: 'The Idempotency-Key was used for another request',
      429: 'A quota of the client is exceeded. `RateLimit-Policy` names it; retry after `Retry-After` seconds',
      503: 'The gateway has reached its limit of concurrent uploads, the storage is full, or Temporal or a worker is unavailable',
    },
  });
}
