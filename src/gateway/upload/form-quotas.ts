/** Quotas that depend on the form: recipients of the summary (decision §quotas). */
import type { GatewayDependencies } from '../dependencies.ts';
import { badRequest } from '../http-error.ts';
import { takeFromRate } from '../quotas/client-quotas.ts';
import type { UploadForm } from './form.ts';

export function createFormQuotas({
  quotas: { mails, recipientDomains },
  defaultRecipient,
}: Pick<GatewayDependencies, 'quotas' | 'defaultRecipient'>) {
  return {
    /** @throws HttpError 400 if summaries may not be mailed to one of the addresses */
    requireRecipients({ emails }: UploadForm): void {
      if (recipientDomains.length === 0) return;
      for (const email of emails) {
        const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
        if (recipientDomains.includes(domain)) continue;
        throw badRequest(
          `Summaries are not mailed to ${domain}. Give an address of ${recipientDomains.join(', ')}, or none.`,
        );
      }
    },

    /** @throws HttpError 429 if the client has used up its summaries of this hour */
    async takeMails(clientId: string, { emails }: UploadForm): Promise<void> {
      await takeFromRate(
        mails,
        clientId,
        emails.length > 0 ? emails.length : Number(defaultRecipient !== null),
      );
    },
  };
}
