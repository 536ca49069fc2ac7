/** The text parts of an upload, and the domains of their addresses (decision §quotas). */
import { uploadFields } from '../../contract/schemas/upload.ts';
import { badRequest } from '../http-error.ts';
import type { ClientQuotas } from '../quotas/client-quotas.ts';

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
    // The path beyond the part is the index of an address, which the message names.
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
  const isList = Array.isArray(email) && email.every((address) => typeof address === 'string');
  const parts = isList
    ? { ...sent, email: email.filter((address) => address.trim() !== '').join(',') }
    : sent;
  const filled = Object.entries(parts).filter(
    ([, value]) => typeof value !== 'string' || value.trim() !== '',
  );
  return Object.fromEntries(filled);
}

/** In place of a list of domains. */
const ANY_DOMAIN = '*';

/** @throws HttpError 400 if summaries may not be mailed to one of the addresses */
export function requireRecipients(
  { recipientDomains }: Pick<ClientQuotas, 'recipientDomains'>,
  { emails }: UploadForm,
): void {
  if (recipientDomains.length === 0 || recipientDomains.includes(ANY_DOMAIN)) return;
  for (const email of emails) {
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    if (recipientDomains.includes(domain)) continue;
    throw badRequest(
      `Summaries may not be sent to ${domain}. Use an address at ${recipientDomains.join(', ')}, or none.`,
    );
  }
}
