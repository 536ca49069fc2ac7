/** The audit trail, for operators. */
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { AuditEvent, AuditPage } from '../../../src/contract/types.ts';
import { call } from '../../api/client.ts';
import { usePolled } from '../../api/use-polled.ts';
import { to } from '../../settings.ts';
import { countOf, searchOf } from '../../ui/format.ts';
import { HeldList, useHeldTop, useReading } from '../../ui/held.tsx';
import { Screen } from '../../ui/screen.tsx';
import { EmptyState, PagesEnd, PolledContent } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { type Page, usePages } from '../../ui/use-pages.ts';
import { type Column, VirtualTable } from '../../ui/virtual-table.tsx';
import { EventDetails, readableAction } from './event-details.tsx';
import { type AuditFilter, FilterForm } from './filter-form.tsx';

const PAGE = 100;

const COLUMNS: readonly Column<AuditEvent>[] = [
  {
    name: 'at',
    title: 'Time',
    width: '12rem',
    narrow: '6.5rem',
    cell: ({ at }) => <Time value={at} />,
  },
  {
    name: 'action',
    title: 'Action',
    width: 'minmax(12rem, 2fr)',
    narrow: 'minmax(6rem, 1fr)',
    cell: ({ action }) => <span title={action}>{readableAction(action)}</span>,
  },
  {
    name: 'actor',
    title: 'Actor',
    width: 'minmax(10rem, 2fr)',
    narrow: null,
    cell: ({ actor }) => <span title={actor}>{actor}</span>,
  },
  {
    name: 'import',
    title: 'Import',
    width: '5rem',
    narrow: '3.5rem',
    align: 'end',
    cell: ({ import_id: id }) => (id === null ? '–' : <a href={to(`imports/${id}`)}>{id}</a>),
  },
  {
    name: 'submission',
    title: 'Submission',
    width: '6rem',
    narrow: null,
    align: 'end',
    cell: ({ submission_id: id }) => (id === null ? '–' : <a href={to(`audit?submission_id=${id}`)}>{id}</a>),
  },
];

export default function AuditScreen() {
  const { query, route } = useLocation();
  const filter = filterOf(query);
  const of = JSON.stringify(filter);
  const first = usePolled('getAuditEvents', { query: { ...filter, limit: PAGE } }, { everyMs: 5_000 });
  const newest = useMemo(() => first.data && pageOf(first.data), [first.data]);
  const load = useCallback(
    async (before: number) =>
      pageOf(await call('getAuditEvents', { query: { ...filter, limit: PAGE, before } })),
    [of],
  );
  const pages = usePages<AuditEvent>({ of, newest: { ...first, data: newest }, load });
  const [opened, setOpened] = useState<AuditEvent | null>(null);
  const { isReading, listeners } = useReading();
  const { rows, hidden, release } = useHeldTop(pages.isStale ? [] : (pages.list?.rows ?? []), isReading, of);
  const actions = useRef(new Set<string>());
  for (const { action } of rows) actions.current.add(action);
  return (
    <Screen title="Audit">
      <FilterForm
        key={of}
        filter={filter}
        actions={[...actions.current].sort()}
        onFilter={(next) => route(to(`audit${searchOf({ ...next })}`))}
      />
      <PolledContent polled={first}>
        {() =>
          rows.length === 0 ? (
            <EmptyState title="No event matches this search">
              <p>Import, submission, actor and action must match exactly.</p>
            </EmptyState>
          ) : (
            <HeldList
              news={hidden > 0 ? `Show ${countOf(hidden, 'new event')}` : null}
              onShow={release}
              listeners={listeners}
            >
              <VirtualTable
                label="Audit events"
                columns={COLUMNS}
                rows={rows}
                keyOf={({ id }) => id}
                onOpen={(event) => setOpened(event)}
                onEnd={pages.loadMore}
                rowHeight={40}
              />
            </HeldList>
          )
        }
      </PolledContent>
      <PagesEnd pages={pages} row="event" />
      {opened && <EventDetails of={opened} onClose={() => setOpened(null)} />}
    </Screen>
  );
}

const pageOf = ({ audit_events, next_before }: AuditPage): Page<AuditEvent> => ({
  rows: audit_events,
  next_before,
});

/** Reads the filter from the address. Invalid IDs are left out. */
function filterOf(query: Record<string, string>): AuditFilter {
  const filter: AuditFilter = {};
  for (const name of ['import_id', 'submission_id'] as const) {
    const value = Number(query[name]);
    if (Number.isInteger(value) && value > 0) filter[name] = value;
  }
  if (query.actor) filter.actor = query.actor;
  if (query.action) filter.action = query.action;
  return filter;
}
