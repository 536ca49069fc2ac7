/** Reads the text parts of an upload. */
import { uploadFields } from '../../contract/schemas/upload.ts';
import { badRequest } from '../http-error.ts';

export interface UploadForm {
  comment: string | null;
  /** Recipients of the summary; none for the configured one. */
  emails: readonly string[];
  /** Told of the end of the import, beside the client's own webhook; null for nowhere else. */
  webhookUrl: string | null;
  dryRun: boolean;
}

/**
 * @param sent the text parts as they came; one that was sent several times is an array
 * @throws HttpError 400
 */
export function readForm(sent: Readonly<Record<string, unknown>>): UploadForm {
  const parsed = uploadFields.safeParse(withoutBlanks(sent));
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
