/** The client's webhook: its URL, its secret, which is shown once, and the messages to it. */
import { useState } from 'preact/hooks';
import { WEBHOOK_URL_LENGTH } from '../../../src/contract/limits.ts';
import type { Webhook } from '../../../src/contract/types.ts';
import { call } from '../../api/client.ts';
import { usePolled } from '../../api/use-data.ts';
import { can } from '../../auth/login.ts';
import { ActionButton, useAction } from '../../ui/actions.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/dialog.tsx';
import { Field, submittedText } from '../../ui/field.tsx';
import { Facts, Time } from '../../ui/format.tsx';
import { LoadedContent, Screen } from '../../ui/states.tsx';
import { Messages } from './messages.tsx';

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

export function WebhookCard() {
  const polled = usePolled('getWebhook', {}, { everyMs: 30_000 });
  const [secret, setSecret] = useState<string | null>(null);
  const onChange = (changed: Webhook | null) => {
    // The service shows a secret once. It stays visible until it is replaced or deleted.
    setSecret((shown) => (changed === null ? null : (changed.secret ?? shown)));
  };
  return (
    <section class="card stack" aria-labelledby="webhook-heading">
      <h2 id="webhook-heading">URL for messages</h2>
      {secret !== null && (
        <div class="notice warn" role="status">
          <p>
            Save the secret: it is not shown again. <code>{secret}</code>
          </p>
          <Button kind="quiet" onClick={() => setSecret(null)}>
            I have saved it
          </Button>
        </div>
      )}
      <LoadedContent of={polled}>
        {(webhook) => (
          <>
            {webhook.updated_at !== null && <State of={webhook} />}
            <UrlForm key={webhook.url} url={webhook.url} onChange={onChange} />
            {webhook.updated_at !== null && <Actions of={webhook} onChange={onChange} />}
          </>
        )}
      </LoadedContent>
    </section>
  );
}

function State({ of: { url, previous_secret_valid_until: until, updated_at } }: { of: Webhook }) {
  return (
    <Facts
      of={{
        URL: url ?? 'None: only uploads with a webhook_url cause messages',
        Changed: updated_at === null ? undefined : <Time value={updated_at} />,
        'The previous secret is valid until': until === null ? undefined : <Time value={until} />,
      }}
    />
  );
}

type OnChange = (changed: Webhook | null) => void;

function UrlForm({ url, onChange }: { url: string | null; onChange: OnChange }) {
  const save = useAction(async (text: string) => onChange(await call('putWebhook', { body: { url: text } })));
  return (
    <form class="stack" onSubmit={(event) => void save.run(submittedText(event, 'url'))}>
      <Field
        label="URL"
        hint="An https URL of a host that the operators of the service allow. It receives signed messages about imports that are uploaded on this page, the regulator session and pauses."
        fault={save.error?.message ?? null}
      >
        <input name="url" type="url" defaultValue={url ?? ''} maxLength={WEBHOOK_URL_LENGTH} required />
      </Field>
      <p>
        <Button kind="primary" type="submit" busy={save.busy}>
          {url === null ? 'Register' : 'Change the URL'}
        </Button>
      </p>
    </form>
  );
}

function Actions({ of: { url }, onChange }: { of: Webhook; onChange: OnChange }) {
  return (
    <div class="cluster">
      <ActionButton offered={url !== null} action={() => call('postWebhookTest')}>
        Send a test message
      </ActionButton>
      <ConfirmButton
        label="Rotate the secret"
        question="Create a new secret?"
        keep="Keep the secret"
        onConfirm={async () => onChange(await call('postWebhookSecret'))}
      >
        <p>For a day, messages are signed with both secrets. After that the previous one is invalid.</p>
      </ConfirmButton>
      {url !== null && (
        <ConfirmButton
          label="Disable"
          question="Send no more messages to this URL?"
          keep="Keep the URL"
          onConfirm={async () => onChange(await call('putWebhook', { body: { url: null } }))}
        >
          <p>The secret stays. Uploads with a webhook_url still cause messages.</p>
        </ConfirmButton>
      )}
      <ConfirmButton
        label="Delete"
        kind="danger"
        question="Delete the webhook?"
        keep="Keep the webhook"
        onConfirm={() => call('deleteWebhook').then(() => onChange(null))}
      >
        <p>Its secret is deleted as well. Messages that are being retried are given up.</p>
      </ConfirmButton>
    </div>
  );
}
