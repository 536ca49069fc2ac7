/** Reads the text parts of an upload. */
import { uploadFields } from '../../contract/schemas/upload.ts';
import { badRequest } from '../http-error.ts';

export interface UploadForm {
  comment: string | null;
  /** Recipients of the summary; empty for the configured one. */
  emails: readonly string[];
  /** URL that gets a message at the end of the import, beside the client's own webhook; null for none. */
  webhookUrl: string | null;
  dryRun: boolean;
}

/**
 * @param sent the text parts as received; a repeated part is an array
 * @throws HttpError 400
 */
export function readForm(sent: Readonly<Record<string, unknown>>): UploadForm {
  const parsed = uploadFields.safeParse(withoutBlanks(sent));
  if (!parsed.success) {
    // A fault names the part only, not the index of one of several addresses.
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

/** Removes blank parts, which count as absent. Joins the addresses of several parts to one list. */
function withoutBlanks(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { email } = sent;
  const parts = Array.isArray(email) ? { ...sent, email: email.join(',') } : sent;
  const filled = Object.entries(parts).filter(
    ([, value]) => typeof value !== 'string' || value.trim() !== '',
  );
  return Object.fromEntries(filled);
}
