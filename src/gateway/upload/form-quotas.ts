/** Quotas of what only the form tells: whom to write to, and whether it is a dry run (architecture §quotas). */
import type { GatewayDependencies } from '../dependencies.ts';
import { badRequest } from '../http-error.ts';
import { tooManyAtOnce, tooManyMails } from '../quotas/client-quotas.ts';
import type { UploadForm } from './form.ts';

export function createFormQuotas({
  quotas,
  defaultRecipient,
}: Pick<GatewayDependencies, 'quotas' | 'defaultRecipient'>) {
  const { dryRuns, mails, recipientDomains } = quotas;
  return {
    /** @throws HttpError 400 when summaries may not go to one of the addresses */
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

    /** @throws HttpError 429 when the client has had its summaries of this hour */
    async takeMails(clientId: string, { emails }: UploadForm): Promise<void> {
      const wanted = emails.length > 0 ? emails.length : Number(defaultRecipient !== null);
      if (mails === null || wanted === 0) return;
      const { granted, resetMs } = await mails.take(clientId, wanted);
      if (granted < wanted) throw tooManyMails(mails, Math.max(1, Math.ceil(resetMs / 1000)));
    },

    /** @throws HttpError 429 when the client has enough of them under way */
    async inDryRun<T>(clientId: string, run: () => Promise<T>): Promise<T> {
      if (dryRuns === null) return run();
      const giveBack = await dryRuns.take(clientId);
      if (giveBack === null) throw tooManyAtOnce('dry runs', dryRuns.limit);
      try {
        return await run();
      } finally {
        await giveBack();
      }
    },
  };
}
