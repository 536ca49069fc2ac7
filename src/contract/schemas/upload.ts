/** `POST /regulator/package-import` (interface §4.1): the query, the header, the form and the answer of an upload. */
import { z } from 'zod';
import {
  ADDRESS_LENGTH,
  BYTES_PER_MB,
  COMMENT_LENGTH,
  IDEMPOTENCY_KEY_CHARACTERS,
  IDEMPOTENCY_KEY_LENGTH,
  MAX_RECIPIENTS,
  WEBHOOK_URL_LENGTH,
} from '../limits.ts';
import { addressesIn } from '../recipients.ts';
import { WITHOUT_NUL } from './common.ts';
import { dryRunResult } from './dry-run.ts';
import { describe } from './operation.ts';
import { importResult } from './package-imports.ts';

const flag = z.enum(['true', 'false'], 'must be given once, as true or false').optional();

/** Parameters that must be known before the body is read (decision §refuse-before-the-body). */
const query = z.object({
  dry_run: flag.meta({
    description:
      '`true` checks the package and imports nothing. Needs no regulator session, unlike the part `dry_run` of the form',
  }),
  diff: flag.meta({
    description:
      '`true`, only with `dry_run=true`: shows for each product how its fields differ from what was inserted last',
  }),
});

export const idempotencyKey = z.string().max(IDEMPOTENCY_KEY_LENGTH).regex(IDEMPOTENCY_KEY_CHARACTERS);

const headers = z.object({
  'Idempotency-Key': idempotencyKey.optional().meta({
    description:
      'Chosen by the client, e.g. a UUID. The same request under the same key within a day gets the first ' +
      'answer and imports nothing again.',
    example: '1a2c1f8e-6f6b-4c8e-9d5d-0f2c4b8d9a10',
  }),
});

const NO_ADDRESS = 'is not a valid e-mail address';

/** The text parts of the form. */
export const uploadFields = z.object({
  comment: z
    .string('must be given once')
    .max(COMMENT_LENGTH, `is longer than ${COMMENT_LENGTH} characters`)
    .regex(WITHOUT_NUL, 'must not contain NUL')
    .optional()
    .meta({ description: 'Import comment, copied to every submission' }),
  email: z
    .string()
    .transform(addressesIn)
    .pipe(
      z
        .array(z.email(NO_ADDRESS).max(ADDRESS_LENGTH, NO_ADDRESS))
        .max(MAX_RECIPIENTS, `has more than ${MAX_RECIPIENTS} addresses`),
    )
    .optional()
    .meta({
      description: `Recipient of the summary e-mail, or several with commas between, at most ${MAX_RECIPIENTS}; the part may also be sent several times. Empty counts as none`,
      example: 'person@company.example',
    }),
  webhook_url: z
    .string('must be given once')
    .max(WEBHOOK_URL_LENGTH, `is longer than ${WEBHOOK_URL_LENGTH} characters`)
    .optional()
    .meta({
      description:
        "URL that gets a message at the end of the import, beside the client's own webhook. Requires that webhook, for its secret",
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
      'Stores the ZIP, creates a submission for every product XML in it, queues each one for import into the ' +
      "regulator's system and answers with the result of each. The import itself goes on afterwards. With " +
      '`dry_run=true`, in the query or the form, the package is read and checked in the same way, and nothing is stored, ' +
      'created or queued.',
    query,
    headers,
    multipart: z.object({ file, ...uploadFields.shape }),
    answers: {
      200: {
        description: 'The ZIP was processed, or checked; details of partial results are in `data`',
        data: z.union([importResult, dryRunResult]),
        headers: ['Location', 'Idempotent-Replayed'],
      },
    },
    errors: {
      400: 'No file, not a .zip, not multipart, an invalid query or e-mail address, or a `webhook_url` that messages may not go to',
      409: 'The form has a `webhook_url`, and the client no webhook whose secret would sign the message',
      412: 'No active regulator session, and the query asks for no dry run; `data.regulator_session_message` says why',
      413: `The ZIP file is larger than ${mb} MB`,
      422: 'The Idempotency-Key was used for something else',
      429: 'The client does too much at once or in a while; `RateLimit-Policy` says of what, `Retry-After` when to come back',
      503: {
        description:
          'The gateway has reached its limit of concurrent uploads, the storage is full, or no worker can process the package',
        headers: ['Retry-After'],
      },
    },
  });
}
