/** The audit trail, for operators. */
import { useRef, useState } from 'preact/hooks';
import { idIn } from '../../../src/contract/limits.ts';
import type { AuditEvent } from '../../../src/contract/types.ts';
import { call } from '../../api/client.ts';
import { useLoaded } from '../../api/use-data.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { entriesOf, Field } from '../../ui/field.tsx';
import { actorOf, Facts, formatTime, formatUtc, given, Time } from '../../ui/format.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { EmptyState, Screen } from '../../ui/states.tsx';
import { useFilter } from '../../ui/use-filter.ts';
import { usePages } from '../../ui/use-pages.ts';
import type { Column } from '../../ui/virtual-table.tsx';

const AUDIT_PAGE = 100;
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

const ID = { inputMode: 'numeric', pattern: '\\s*[1-9][0-9]{0,15}\\s*', title: 'A number' } as const;
const FIELDS = [
  { label: 'Import', name: 'import_id', ...ID },
  { label: 'Submission', name: 'submission_id', ...ID },
  { label: 'Actor', name: 'actor', placeholder: 'client:demo-client' },
  { label: 'Action', name: 'action', placeholder: 'submission.regulator_inserted', list: 'audit-actions' },
] as const;

/** The filter without values. */
const NO_FILTER = { import_id: '', submission_id: '', actor: '', action: '' };

export default function AuditScreen() {
  const [filter, setFilter] = useFilter('import_id', 'submission_id', 'actor', 'action');
  const { import_id, submission_id, ...texts } = filter;
  // Invalid IDs are left out.
  const ids = { import_id: idIn(import_id) ?? undefined, submission_id: idIn(submission_id) ?? undefined };
  const applied = {
    ...texts,
    import_id: String(ids.import_id ?? ''),
    submission_id: String(ids.submission_id ?? ''),
  };
  const request = { query: { ...ids, ...given(texts), limit: AUDIT_PAGE } };
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
        key={JSON.stringify(applied)}
        filter={applied}
        actions={[...actions.current].sort()}
        onFilter={(changed) => setFilter(changed, 'new')}
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

interface FilterFormProps {
  filter: typeof NO_FILTER;
  /** Known actions, as suggestions. */
  actions: readonly string[];
  onFilter(changed: Partial<FilterFormProps['filter']>): void;
}

/** The search for events. The service compares each value as a whole. Another filter draws the form again. */
function FilterForm({ filter, actions, onFilter }: FilterFormProps) {
  const search = (event: SubmitEvent) => {
    const texts = [...entriesOf(event)].map(([name, value]) => [name, String(value).trim()]);
    onFilter(Object.fromEntries(texts));
  };
  return (
    <search>
      <form class="toolbar" onSubmit={search}>
        {FIELDS.map(({ label, ...input }) => (
          <Field key={input.name} label={label}>
            <input {...input} spellcheck={false} defaultValue={filter[input.name]} />
          </Field>
        ))}
        <datalist id="audit-actions">
          {actions.map((action) => (
            <option key={action} value={action} />
          ))}
        </datalist>
        <Button type="submit" kind="primary">
          Search
        </Button>
        <Button type="reset" onClick={() => onFilter(NO_FILTER)}>
          Clear
        </Button>
      </form>
    </search>
  );
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
