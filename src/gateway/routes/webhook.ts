/** A tenant's webhook: its URL and the secret that signs its messages (decision §signed-webhooks). */
import { deleteWebhook, getWebhook, postWebhookSecret, putWebhook } from '../../contract/schemas/webhooks.ts';
import type { Webhook } from '../../contract/types.ts';
import type { WebhookRow } from '../../database/entities/webhook.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { defineRoute } from '../route.ts';
import type { Caller } from '../tokens/access-token.ts';
import { createWebhookChecks, webhookMissing } from '../webhook-checks.ts';

export function webhookRoutes(
  dependencies: Pick<GatewayDependencies, 'database' | 'webhookRules' | 'quotas'>,
) {
  const { webhooks } = dependencies.database;
  const { requireEnabled, requireUrl } = createWebhookChecks(dependencies);

  /** @param secret if it has just been created */
  async function answer(message: string, { tenant }: Caller, secret: string | null = null) {
    const row = await webhooks.find(tenant);
    if (!row) throw webhookMissing();
    return { message, data: presentWebhook(row, secret) };
  }

  return [
    defineRoute({
      ...getWebhook,
      handle: ({ caller }) => answer('Webhook.', caller),
    }),
    defineRoute({
      ...putWebhook,
      async handle({ caller, body: { url } }) {
        requireEnabled();
        if (url !== null) requireUrl(url);
        const secret = await webhooks.register(caller.tenant, url, caller.actor);
        const message =
          secret === null ? 'The webhook is registered.' : 'Save the secret: it is not shown again.';
        return answer(message, caller, secret);
      },
    }),
    defineRoute({
      ...postWebhookSecret,
      async handle({ caller }) {
        const rotated = await webhooks.rotate(caller.tenant, caller.actor);
        if (!rotated) throw webhookMissing();
        return {
          message: 'Save the new secret: it is not shown again.',
          data: presentWebhook(rotated.webhook, rotated.secret),
        };
      },
    }),
    defineRoute({
      ...deleteWebhook,
      async handle({ caller }) {
        const removed = await webhooks.remove(caller.tenant, caller.actor);
        return { message: removed ? 'The webhook is deleted.' : 'There was no webhook.', data: { removed } };
      },
    }),
  ];
}

/** @param secret if it has just been created */
function presentWebhook(row: WebhookRow, secret: string | null): Webhook {
  const until = row.previousSecretValidUntil ?? null;
  return {
    url: row.url ?? null,
    secret,
    previous_secret_valid_until: until !== null && until > new Date() ? until.toISOString() : null,
    updated_at: row.updatedAt.toISOString(),
  };
}
