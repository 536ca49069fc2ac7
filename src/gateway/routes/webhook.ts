/** A client's webhook: where it wants to hear of its imports, and the secret of its messages (architecture §signed-webhooks). */
import { z } from 'zod';
import { PERMISSIONS } from '../../domain/permissions.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { presentWebhook } from '../presenters/webhook.ts';
import { defineRoute } from '../route.ts';
import { webhook, webhookRegistration } from '../schemas/webhook.ts';
import type { Caller } from '../tokens/access-token.ts';
import { createWebhookChecks, webhookMissing } from '../webhook-checks.ts';

const path = '/regulator/webhook';
const tag = 'Webhooks';
const permission = PERMISSIONS.importPackage;

export function webhookRoutes(
  dependencies: Pick<GatewayDependencies, 'database' | 'webhookRules' | 'quotas'>,
) {
  const { webhooks } = dependencies.database;
  const { requireEnabled, requireUrl } = createWebhookChecks(dependencies);

  /** @param secret where it has just been made */
  async function answer(message: string, { clientId }: Caller, secret: string | null = null) {
    const row = await webhooks.find(clientId);
    if (!row) throw webhookMissing();
    return { message, data: presentWebhook(row, secret) };
  }

  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'getWebhook',
      tag,
      summary: "This client's webhook",
      permission,
      answers: { 200: { description: 'The webhook, without its secret', data: webhook } },
      errors: { 409: 'The client has none' },
      handle: ({ caller }) => answer('Webhook.', caller),
    }),
    defineRoute({
      method: 'put',
      path,
      operationId: 'putWebhook',
      tag,
      summary: 'Register the webhook, or change its URL',
      description:
        'The answer to the first request has the secret that messages are signed with, and no later one. Messages are those ' +
        'of Standard Webhooks, with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.',
      permission,
      body: webhookRegistration,
      answers: { 200: { description: 'The webhook; with its secret where there was none', data: webhook } },
      errors: { 400: 'Invalid body, a URL that messages may not go to, or a service without webhooks' },
      async handle({ caller, body: { url } }) {
        requireEnabled();
        if (url !== null) requireUrl(url);
        const secret = await webhooks.register(caller.clientId, url, caller.actor);
        const message =
          secret === null ? 'The webhook is registered.' : 'Keep the secret: it is not told again.';
        return answer(message, caller, secret);
      },
    }),
    defineRoute({
      method: 'post',
      path: `${path}/actions/rotate-secret`,
      operationId: 'postWebhookSecret',
      tag,
      summary: 'Make a new secret',
      description: 'For a day messages are signed with the one before as well, so that none is missed.',
      permission,
      answers: { 200: { description: 'The webhook, with its new secret', data: webhook } },
      errors: { 409: 'The client has no webhook' },
      async handle({ caller }) {
        const rotated = await webhooks.rotate(caller.clientId, caller.actor);
        if (!rotated) throw webhookMissing();
        return {
          message: 'Keep the new secret: it is not told again.',
          data: presentWebhook(rotated.webhook, rotated.secret),
        };
      },
    }),
    defineRoute({
      method: 'delete',
      path,
      operationId: 'deleteWebhook',
      tag,
      summary: 'Have no webhook any more',
      permission,
      answers: { 200: { description: 'There is none any more', data: z.object({ removed: z.boolean() }) } },
      async handle({ caller }) {
        const removed = await webhooks.remove(caller.clientId, caller.actor);
        return { message: removed ? 'The webhook is removed.' : 'There was no webhook.', data: { removed } };
      },
    }),
  ];
}
