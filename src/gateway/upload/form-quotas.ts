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
    /** @throws HttpError 400 when summaries may not go to that address */
    requireRecipient({ email }: UploadForm): void {
      if (email === null || recipientDomains.length === 0) return;
      const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
      if (recipientDomains.includes(domain)) return;
      throw badRequest(
        `Summaries are not mailed to ${domain}. Give an address of ${recipientDomains.join(', ')}, or none.`,
      );
    },

    /** @throws HttpError 429 when the client has had its summaries of this hour */
    async takeMail(clientId: string, { email }: UploadForm): Promise<void> {
      if (mails === null || (email ?? defaultRecipient) === null) return;
      const { granted, resetMs } = await mails.take(clientId, 1);
      if (granted === 0) throw tooManyMails(mails, Math.max(1, Math.ceil(resetMs / 1000)));
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
