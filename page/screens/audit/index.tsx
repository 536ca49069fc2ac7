/** The audit trail, for operators. */
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { idIn } from '../../../src/contract/limits.ts';
import type { AuditEvent } from '../../../src/contract/types.ts';
import { call } from '../../api/client.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { actorOf, Facts, formatTime, formatUtc, searchOf, Time } from '../../ui/format.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { EmptyState, Screen } from '../../ui/states.tsx';
import { usePages } from '../../ui/use-pages.ts';
import type { Column } from '../../ui/virtual-table.tsx';
import { type AuditFilter, FilterForm } from './filter-form.tsx';

const PAGE = 100;
const EVERY_MS = 5_000;

const COLUMNS: readonly Column<AuditEvent>[] = [
  {
    title: 'Time',
    width: '12rem',
    narrow: '6.5rem',
    cell: ({ at }) => <Time value={at} />,
  },
  {
    title: 'Action',
    width: 'minmax(12rem, 2fr)',
    narrow: 'minmax(6rem, 1fr)',
    cell: ({ action }) => <span title={action}>{readableAction(action)}</span>,
  },
  {
    title: 'Actor',
    width: 'minmax(10rem, 2fr)',
    cell: ({ actor }) => <span title={actor}>{actorOf(actor)}</span>,
  },
  {
    title: 'Import',
    width: '5rem',
    narrow: '3.5rem',
    align: 'end',
    cell: ({ import_id: id }) => (id === null ? '–' : <a href={to(`imports/${id}`)}>{id}</a>),
  },
  {
    title: 'Submission',
    width: '6rem',
    align: 'end',
    cell: ({ submission_id: id }) => (id === null ? '–' : <a href={to(`audit?submission_id=${id}`)}>{id}</a>),
  },
];

export default function AuditScreen() {
  const { query, route } = useLocation();
  const filter = filterOf(query);
  const request = { query: { ...filter, limit: PAGE } };
  const pages = usePages('getAuditEvents', request, {
    rowsOf: ({ audit_events }) => audit_events,
    everyMs: EVERY_MS,
  });
  const [opened, setOpened] = useState<AuditEvent | null>(null);
  const actions = useRef(new Set<string>());
  for (const { action } of pages.list?.rows ?? []) actions.current.add(action);
  return (
    <Screen title="Audit">
      <FilterForm
        key={JSON.stringify(filter)}
        filter={filter}
        actions={[...actions.current].sort()}
        onFilter={(texts) => route(to(`audit${searchOf(texts)}`))}
      />
      <PagedTable
        pages={pages}
        row="event"
        label="Audit events"
        columns={COLUMNS}
        onOpen={(event) => setOpened(event)}
        rowHeight={40}
        empty={
          <EmptyState title="No event matches this search">
            <p>
              Import, submission, actor and action must match exactly. A person is found by{' '}
              <code>person:</code> and the id, without the name.
            </p>
          </EmptyState>
        }
      />
      {opened && <EventDetails of={opened} onClose={() => setOpened(null)} />}
    </Screen>
  );
}

/** Reads the filter from the address. Invalid IDs are left out. */
function filterOf(query: Record<string, string>): AuditFilter {
  const filter: AuditFilter = {};
  for (const name of ['import_id', 'submission_id'] as const) {
    const id = idIn(query[name] ?? '');
    if (id !== null) filter[name] = id;
  }
  if (query.actor) filter.actor = query.actor;
  if (query.action) filter.action = query.action;
  return filter;
}

function EventDetails({ of, onClose }: { of: AuditEvent; onClose(): void }) {
  const { at, actor, action, import_id, submission_id, detail } = of;
  return (
    <Dialog title={readableAction(action)} onClose={onClose}>
      <Facts
        of={{
          Time: `${formatTime(new Date(at))} (${formatUtc(new Date(at))})`,
          Actor: <code>{actor}</code>,
          Action: <code>{action}</code>,
          Import: import_id === null ? undefined : <a href={to(`imports/${import_id}`)}>{import_id}</a>,
          Submission: submission_id === null ? undefined : <SubmissionLink id={submission_id} />,
        }}
      />
      {typeof detail === 'object' && detail !== null && (
        <>
          <h3>Details</h3>
          <Facts
            of={Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, textOf(value)]))}
          />
        </>
      )}
    </Dialog>
  );
}

const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function SubmissionLink({ id }: { id: number }) {
  const { data } = useLoaded(
    async () => (can('getSubmission') ? call('getSubmission', { params: { id } }) : null),
    [id],
  );
  if (!data) return <>{id}</>;
  return (
    <>
      {id} of product <a href={to(`products/${data.product_id}`)}>{data.product_id}</a>
    </>
  );
}

/** `Submission: regulator inserted` for `submission.regulator_inserted`. */
function readableAction(action: string): string {
  const words = action.replaceAll(/[_-]/g, ' ').replace('.', ': ').replaceAll('.', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
