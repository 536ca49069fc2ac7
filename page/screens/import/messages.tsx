/** What was told to people and programs of the import: its summary mail, its webhook messages. */
import { useState } from 'preact/hooks';
import {
  DELIVERY_LABELS,
  type DeliveryStatus,
  NOTIFICATION_LABELS,
  type NotificationStatus,
} from '../../../src/contract/statuses.ts';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { can } from '../../auth/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import type { Tone } from '../../ui/status.ts';
import { Time } from '../../ui/time.tsx';
import css from './import.module.css';
import { Refusal } from './refusal.tsx';
import type { Report } from './rows.ts';
import type { Delivery } from './use-import.ts';

const MAIL_TONES: Readonly<Record<NotificationStatus, Tone>> = {
  pending: 'idle',
  sending: 'busy',
  sent: 'good',
  error: 'bad',
};

export function Mail({ report }: { report: Report | undefined }) {
  if (report === undefined) return <span class="muted">…</span>;
  if (report.notification === null) return <span class="muted">nobody gets one</span>;
  const { email, status, error } = report.notification;
  return (
    <>
      <Badge tone={MAIL_TONES[status]}>{NOTIFICATION_LABELS[status]}</Badge> {email}
      {error !== null && <span class="fault"> {error}</span>}
    </>
  );
}

const DELIVERY_TONES: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'busy',
  delivered: 'good',
  failed: 'bad',
};

/** @param onChange after a message is on its way again */
export function Deliveries({ deliveries, onChange }: { deliveries: readonly Delivery[]; onChange(): void }) {
  if (deliveries.length === 0) return null;
  return (
    <section class="card" aria-label="Webhook messages">
      <h2>Webhook messages</h2>
      <ul class={css.deliveries}>
        {deliveries.map((delivery) => (
          <OneDelivery key={delivery.id} of={delivery} onChange={onChange} />
        ))}
      </ul>
    </section>
  );
}

function OneDelivery({ of, onChange }: { of: Delivery; onChange(): void }) {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const { id, import_id, url, event, status, tries, last_try_at, last_status, last_error } = of;
  async function redeliver(): Promise<void> {
    setBusy(true);
    setRefusal(null);
    try {
      await call('postWebhookRedelivery', { params: { id: import_id, delivery_id: id } });
      onChange();
    } catch (error) {
      setRefusal(asApiError(error));
    } finally {
      setBusy(false);
    }
  }
  const last = [last_status !== null && `HTTP ${last_status}`, last_error].filter(Boolean).join(', ');
  return (
    <li>
      <Badge tone={DELIVERY_TONES[status]}>{DELIVERY_LABELS[status]}</Badge> <code>{event}</code>{' '}
      <span class="muted">to</span> {url}
      <span class="muted">
        {tries === 1 ? '1 try' : `${tries} tries`}
        {last_try_at !== null && (
          <>
            , the last at <Time value={last_try_at} />
          </>
        )}
        {last !== '' && `: ${last}`}
      </span>
      {status !== 'pending' && can('postWebhookRedelivery') && (
        <Button kind="quiet" busy={busy} onClick={() => void redeliver()}>
          Send again
        </Button>
      )}
      <Refusal error={refusal} onClose={() => setRefusal(null)} />
    </li>
  );
}
