/** The client's webhook, and the messages to it. */
import { can } from '../../auth/login.ts';
import { Screen } from '../../ui/states.tsx';
import { Messages } from './messages.tsx';
import { WebhookCard } from './webhook-card.tsx';

export default function WebhookScreen() {
  return (
    <Screen title="Webhook">
      <div class="stack loose">
        <WebhookCard />
        {can('getWebhookDeliveries') && <Messages />}
      </div>
    </Screen>
  );
}
