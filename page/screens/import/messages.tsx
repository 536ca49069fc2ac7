/** What was told to people and programs of the import: its summary mail, its webhook messages. */
import { useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { api, dataOf } from '../../api/client.ts';
import { can } from '../../auth/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import type { Tone } from '../../ui/status.ts';
import { Time } from '../../ui/time.tsx';
import { Refusal } from './refusal.tsx';
import type { Report } from './rows.ts';
import type { Delivery } from './use-import.ts';

type MailStatus = NonNullable<Report['notification']>['status'];

const MAIL: Record<MailStatus, { label: string; tone: Tone }> = {
  pending: { label: 'To come', tone: 'idle' },
  sending: { label: 'Being sent', tone: 'busy' },
  sent: { label: 'Sent', tone: 'good' },
  error: { label: 'Not sent', tone: 'bad' },
};

export function Mail({ report }: { report: Report | undefined }) {
  if (report === undefined) return <span class="muted">…</span>;
  if (report.notification === null) return <span class="muted">nobody gets one</span>;
  const { email, status, error } = report.notification;
  const { label, tone } = MAIL[status];
  return (
    <>
      <Badge tone={tone}>{label}</Badge> {email}
      {error !== null && <span class="fault"> {error}</span>}
    </>
  );
}

const DELIVERY: Record<Delivery['status'], { label: string; tone: Tone }> = {
  pending: { label: 'Under way', tone: 'busy' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
};

/** @param onChange after a message is on its way again */
export function Deliveries({ deliveries, onChange }: { deliveries: readonly Delivery[]; onChange(): void }) {
  if (deliveries.length === 0) return null;
  return (
    <section class="card" aria-label="Webhook messages">
      <h2>Webhook messages</h2>
      <ul class="deliveries">
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
  const { label, tone } = DELIVERY[status];
  async function redeliver(): Promise<void> {
    setBusy(true);
    setRefusal(null);
    const path = { id: import_id, delivery_id: id };
    try {
      await dataOf(
        api.POST('/regulator/package-imports/{id}/webhook-deliveries/{delivery_id}/actions/redeliver', {
          params: { path },
        }),
      );
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
      <Badge tone={tone}>{label}</Badge> <code>{event}</code> <span class="muted">to</span> {url}
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
