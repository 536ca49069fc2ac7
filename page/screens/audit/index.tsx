/** Who did what: for operators. */

import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { to } from '../../settings.ts';
import { searchOf } from '../../ui/address.ts';
import { Button } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Screen } from '../../ui/screen.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { type Column, VirtualTable } from '../../ui/virtual-table.tsx';
import css from './audit.module.css';
import { EventDetails } from './event-details.tsx';
import { FilterForm } from './filter-form.tsx';
import { readableAction } from './readable-action.ts';
import { type AuditEvent, type AuditEvents, type AuditFilter, useAuditEvents } from './use-audit-events.ts';

const COLUMNS: readonly Column<AuditEvent>[] = [
  {
    ...{ name: 'at', title: 'When', width: '12rem', narrow: '6.5rem' },
    cell: ({ at }) => <Time value={at} />,
  },
  {
    ...{ name: 'action', title: 'Action', width: 'minmax(12rem, 2fr)', narrow: 'minmax(6rem, 1fr)' },
    cell: ({ action }) => <span title={action}>{readableAction(action)}</span>,
  },
  {
    ...{ name: 'actor', title: 'Actor', width: 'minmax(10rem, 2fr)', narrow: null },
    cell: ({ actor }) => <span title={actor}>{actor}</span>,
  },
  {
    ...{ name: 'import', title: 'Import', width: '5rem', narrow: '3.5rem', align: 'end' },
    cell: ({ import_id: id }) => (id === null ? '–' : <a href={to(`imports/${id}`)}>{id}</a>),
  },
  {
    ...{ name: 'submission', title: 'Submission', width: '6rem', narrow: null, align: 'end' },
    cell: ({ submission_id: id }) => (id === null ? '–' : <a href={to(`audit?submission_id=${id}`)}>{id}</a>),
  },
];

export default function AuditScreen() {
  const { query, route } = useLocation();
  const filter = filterOf(query);
  const trail = useAuditEvents(filter);
  const [opened, setOpened] = useState<AuditEvent | null>(null);
  const actions = useRef(new Set<string>());
  for (const { action } of trail.events ?? []) actions.current.add(action);
  const onFilter = (next: AuditFilter) => route(to(`audit${searchOf({ ...next })}`));
  return (
    <Screen
      title="Audit"
      actions={
        <Button kind={trail.hasNewer ? 'primary' : 'default'} onClick={trail.reload}>
          {trail.hasNewer ? 'Show newer events' : 'Show the newest'}
        </Button>
      }
    >
      <FilterForm
        key={JSON.stringify(filter)}
        filter={filter}
        actions={[...actions.current].sort()}
        onFilter={onFilter}
      />
      <Trail trail={trail} onOpen={setOpened} />
      {opened && <EventDetails of={opened} onClose={() => setOpened(null)} />}
    </Screen>
  );
}

function Trail({ trail, onOpen }: { trail: AuditEvents; onOpen(event: AuditEvent): void }) {
  const { events, round, error, hasMore, loadMore, reload } = trail;
  if (events === undefined)
    return error === null ? <Loading /> : <ErrorState error={error} onRetry={reload} />;
  if (events.length === 0)
    return (
      <EmptyState title="No such event">
        <p>Import, submission, actor and action are compared as a whole.</p>
      </EmptyState>
    );
  return (
    <>
      <VirtualTable
        key={round}
        label="Audit events"
        columns={COLUMNS}
        rows={events}
        keyOf={({ id }) => id}
        onOpen={onOpen}
        onEnd={loadMore}
        rowHeight={40}
      />
      <p class={`muted ${css.auditCount}`} role="status">
        {formatNumber(events.length)} {events.length === 1 ? 'event' : 'events'}
        {hasMore ? ', older ones as you scroll' : ', all there are'}
      </p>
      {error && <ErrorState error={error} onRetry={loadMore} />}
    </>
  );
}

/** What the address asks for; what is no number there is left out. */
function filterOf(query: Record<string, string>): AuditFilter {
  const id = (name: 'import_id' | 'submission_id') => {
    const value = Number(query[name]);
    return Number.isInteger(value) && value > 0 ? { [name]: value } : {};
  };
  return {
    ...id('import_id'),
    ...id('submission_id'),
    ...(query.actor && { actor: query.actor }),
    ...(query.action && { action: query.action }),
  };
}
