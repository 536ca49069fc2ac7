/** The text parts of an upload: one schema that judges them and describes them. */
import { z } from 'zod';
import { addressesIn, MAX_RECIPIENTS } from '../../domain/notification.ts';
import { WEBHOOK_URL_LENGTH } from '../../domain/webhook.ts';
import { badRequest, wholeMb } from '../http-error.ts';
import { WITHOUT_NUL } from '../schemas/common.ts';

const MAX_COMMENT = 10_000;
const NO_ADDRESS = 'is not a valid e-mail address';

const fields = z.object({
  comment: z
    .string('must be given once')
    .max(MAX_COMMENT, `is longer than ${MAX_COMMENT} characters`)
    .regex(WITHOUT_NUL, 'must not contain NUL')
    .optional()
    .meta({ description: 'Import comment, copied to every submission' }),
  email: z
    .string()
    .transform(addressesIn)
    .pipe(
      z
        .array(z.email(NO_ADDRESS).max(254, NO_ADDRESS))
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
        "Told of the end of the import, beside the client's own webhook; needs one, for its secret",
    }),
  dry_run: z
    .enum(['true', 'false'], 'must be true or false')
    .optional()
    .meta({ description: '`true` checks the package and imports nothing' }),
});

export interface UploadForm {
  comment: string | null;
  /** Recipients of the summary; none for the configured one. */
  emails: readonly string[];
  /** Told of the end of the import, beside the client's own webhook; null for nowhere else. */
  webhookUrl: string | null;
  dryRun: boolean;
}

/** For the description of the API: the whole multipart body, the file included. */
export function uploadBody(maxFileBytes: number) {
  const description = `ZIP archive with the extension .zip, at most ${wholeMb(maxFileBytes)} MB`;
  return z.object({ file: z.string().meta({ format: 'binary', description }), ...fields.shape });
}

/**
 * @param sent the text parts as they came; one that was sent several times is an array
 * @throws HttpError 400
 */
export function readForm(sent: Readonly<Record<string, unknown>>): UploadForm {
  const parsed = fields.safeParse(withoutBlanks(sent));
  if (!parsed.success) {
    // Which of several addresses it is, nobody counts: each part by its name.
    const faults = parsed.error.issues.map(({ path, message }) => `"${String(path[0])}" ${message}`);
    throw badRequest(`The form is invalid: ${faults.join('; ')}.`);
  }
  const { comment, email, webhook_url, dry_run } = parsed.data;
  return {
    comment: comment ?? null,
    emails: email ?? [],
    webhookUrl: webhook_url ?? null,
    dryRun: dry_run === 'true',
  };
}

/** What is blank counts as absent; addresses of several parts are one list. */
function withoutBlanks(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { email } = sent;
  const parts = Array.isArray(email) ? { ...sent, email: email.join(',') } : sent;
  const filled = Object.entries(parts).filter(
    ([, value]) => typeof value !== 'string' || value.trim() !== '',
  );
  return Object.fromEntries(filled);
}
