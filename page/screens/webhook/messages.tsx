/** The messages to webhooks, with their requests and answers. */
import { useState } from 'preact/hooks';
import type { DeliveryStatus } from '../../../src/contract/statuses.ts';
import type { WebhookDelivery } from '../../../src/contract/types.ts';
import { call } from '../../api/client.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { ActionButton } from '../../ui/actions.tsx';
import { Badge, type Mark } from '../../ui/badge.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts, formatNumber, Time } from '../../ui/format.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { usePages } from '../../ui/use-pages.ts';
import type { Column } from '../../ui/virtual-table.tsx';

/** Milliseconds between polls. */
const EVERY_MS = 5_000;

const DELIVERY: Readonly<Record<DeliveryStatus, Mark>> = {
  pending: { label: 'Pending', tone: 'busy' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
};

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  {
    title: 'Time',
    width: '12rem',
    narrow: '6.5rem',
    cell: ({ created_at }) => <Time value={created_at} />,
  },
  {
    title: 'Event',
    width: 'minmax(12rem, 2fr)',
    cell: ({ event }) => <code>{event}</code>,
  },
  {
    title: 'Import',
    width: '5rem',
    align: 'end',
    cell: ({ import_id: id }) => (id === null ? '–' : <a href={to(`imports/${id}`)}>{id}</a>),
  },
  {
    title: 'Status',
    width: '9rem',
    narrow: 'minmax(7rem, 1fr)',
    cell: ({ status }) => <Badge {...DELIVERY[status]} />,
  },
  {
    title: 'Last answer',
    width: 'minmax(10rem, 3fr)',
    cell: ({ last_status, last_error }) => last_error ?? last_status ?? '–',
  },
];

/** @param importId only the messages of this import, which may have none: then there is no table */
export function Messages({ importId }: { importId?: number }) {
  const [opened, setOpened] = useState<WebhookDelivery | null>(null);
  const request = { query: { import_id: importId } };
  const pages = usePages('getWebhookDeliveries', request, {
    rowsOf: ({ deliveries }) => deliveries,
    mayChange: ({ id, status }) => id === opened?.id || status === 'pending',
    everyMs: EVERY_MS,
  });
  const shown = pages.list?.rows.find(({ id }) => id === opened?.id) ?? opened;
  if (importId !== undefined && !pages.list?.rows.length) return null;
  return (
    <section class="stack" aria-labelledby="messages-heading">
      <h2 id="messages-heading">Webhook messages</h2>
      <PagedTable
        pages={pages}
        row="message"
        label="Messages"
        columns={COLUMNS}
        onOpen={(message) => setOpened(message)}
        rowHeight={40}
        empty={<EmptyState title="There are no messages yet" />}
      />
      {shown && <Details of={shown} onClose={() => setOpened(null)} />}
    </section>
  );
}

/** The last request and its answer. */
function Details({ of, onClose }: { of: WebhookDelivery; onClose(): void }) {
  return (
    <Dialog title={`Message ${of.id}`} onClose={onClose}>
      <Facts
        of={{
          Status: <Badge {...DELIVERY[of.status]} />,
          Event: <code>{of.event}</code>,
          URL: of.url,
          'webhook-id': <code>{of.webhook_id}</code>,
          Size: `${formatNumber(of.size_bytes)} bytes`,
          Attempts: formatNumber(of.attempts),
          'Last attempt': of.last_attempt_at === null ? undefined : <Time value={of.last_attempt_at} />,
          Answer: of.last_status === null ? undefined : `HTTP ${of.last_status}`,
          'Beginning of the answer': of.last_body ? <code>{of.last_body}</code> : undefined,
          Problem: of.last_error ?? undefined,
        }}
      />
      <div class="cluster">
        <ActionButton
          offered={of.status !== 'pending' && can('postWebhookRedelivery')}
          action={() => call('postWebhookRedelivery', { params: { id: of.id } })}
        >
          Send again
        </ActionButton>
      </div>
    </Dialog>
  );
}
