/** The webhook messages of the import. */
import { RedeliveryButton } from '../../ui/actions.tsx';
import { DeliveryBadge } from '../../ui/badge.tsx';
import { countOf, Time } from '../../ui/format.tsx';
import type { Delivery } from './import-data.ts';

export function Deliveries({ deliveries }: { deliveries: readonly Delivery[] }) {
  if (deliveries.length === 0) return null;
  return (
    <section class="card stack" aria-label="Webhook messages">
      <h2>Webhook messages</h2>
      <ul class="stack">
        {deliveries.map((delivery) => (
          <OneDelivery key={delivery.id} of={delivery} />
        ))}
      </ul>
    </section>
  );
}

function OneDelivery({ of }: { of: Delivery }) {
  const { url, event, status, tries, last_try_at, last_status, last_error } = of;
  const last = [last_status !== null && `HTTP ${last_status}`, last_error].filter(Boolean).join(', ');
  return (
    <li class="cluster">
      <DeliveryBadge status={status} /> <code>{event}</code> <span class="muted">to</span> {url}
      <span class="muted">
        {countOf(tries, 'try', 'tries')}
        {last_try_at !== null && (
          <>
            , the last at <Time value={last_try_at} />
          </>
        )}
        {last !== '' && `: ${last}`}
      </span>
      <RedeliveryButton of={of} />
    </li>
  );
}
