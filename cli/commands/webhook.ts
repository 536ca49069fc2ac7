/** `webhook`: the webhook of the client, and its messages. */
import type { Command } from 'commander';
import type { Webhook, WebhookDelivery } from '../../src/contract/types.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { type Outcome, success } from '../outcome.ts';
import { type Cell, tableOf } from '../screen.ts';
import { LISTED, listLength, pageText } from './list.ts';

export function addWebhookCommands(program: Command, act: Act): void {
  const webhook = program
    .command('webhook')
    .description(
      'register the URL that gets messages about imports, the regulator session and pauses, and see them',
    );
  webhook
    .command('show')
    .description('show the webhook')
    .action(act(async ({ client }) => shown(await client.call('getWebhook'))));
  webhook
    .command('set')
    .argument('<url>', 'https URL of a host that the operators allow')
    .description('register the URL, or change it; the first time it prints the secret, once')
    .action(
      act(async ({ client }, url: string) => shown(await client.call('putWebhook', { body: { url } }))),
    );
  webhook
    .command('rotate-secret')
    .description('print a new secret, once; for a day messages are also signed with the previous one')
    .action(act(async ({ client }) => shown(await client.call('postWebhookSecret'))));
  webhook
    .command('disable')
    .description('send no more messages to the URL; the secret stays')
    .action(act(disable));
  webhook
    .command('delete')
    .description('delete the webhook with its secret')
    .action(act(async ({ client }) => success(await client.call('deleteWebhook'))));
  webhook
    .command('test')
    .description('send a test message to the URL')
    .action(act(async ({ client }) => sent(await client.call('postWebhookTest'))));
  webhook
    .command('deliveries')
    .description('list messages, newest first')
    .option('--import <id>', 'only messages about this import', identifier)
    .option('--limit <n>', 'number of messages', listLength, LISTED)
    .option('--before <id>', 'only messages older than this one (next page)', identifier)
    .action(act(deliveries));
  webhook
    .command('redeliver')
    .argument('<delivery-id>', 'id of a message in the list', identifier)
    .description('send a message again, under the same webhook-id')
    .action(
      act(async ({ client }, id: number) =>
        sent(await client.call('postWebhookRedelivery', { params: { id } })),
      ),
    );
}

interface WebhookAnswer {
  message: string;
  data: Webhook;
}

function shown({ message, data }: WebhookAnswer): Outcome {
  const { url, secret, previous_secret_valid_until: until } = data;
  if (data.updated_at === null) return success({ message, data });
  const lines = [
    message,
    `URL: ${url ?? 'none; only uploads with a webhook_url cause messages'}`,
    ...(secret === null ? [] : [`Secret: ${secret}`]),
    ...(until === null ? [] : [`The previous secret signs as well until ${until}.`]),
  ];
  return success({ message, data }, lines.join('\n'));
}

/** Reads first: to register no URL would create a webhook for a client that has none. */
async function disable({ client }: Context): Promise<Outcome> {
  const answer = await client.call('getWebhook');
  if (answer.data.updated_at === null) return shown(answer);
  return shown(await client.call('putWebhook', { body: { url: null } }));
}

function sent(answer: { message: string; data: WebhookDelivery }): Outcome {
  return success(answer, `${answer.message}\nSee its result with: package-import webhook deliveries`);
}

interface DeliveriesOptions {
  import?: number;
  limit: number;
  before?: number;
}

async function deliveries({ client, width }: Context, options: DeliveriesOptions): Promise<Outcome> {
  const { import: import_id, ...page } = options;
  const { message, data } = await client.call('getWebhookDeliveries', { query: { import_id, ...page } });
  const head = ['Message', 'Created', 'Event', 'Import', 'Status', 'Attempts', 'Last answer', 'URL'];
  const table = tableOf(head, data.deliveries.map(rowOf), width);
  const text = data.deliveries.length > 0 ? table : 'There are no messages.';
  return success({ message, data }, pageText(text, data.next_before));
}

function rowOf({
  id,
  created_at,
  event,
  import_id,
  status,
  attempts,
  url,
  ...last
}: WebhookDelivery): Cell[] {
  const answer = last.last_error ?? last.last_status;
  return [id, created_at, event, import_id, status, attempts, answer, url];
}
