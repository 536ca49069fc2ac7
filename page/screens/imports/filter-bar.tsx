/** The filters of the list, in the address of the page: a link keeps them. */
import { IMPORT_STATUSES, type ImportStatus } from '../../../src/contract/statuses.ts';
import type { ImportListQuery } from '../../../src/contract/types.ts';
import { can } from '../../auth/login.ts';
import { type Chip, Chips, statusOf } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DayInput, Field, SearchInput } from '../../ui/field.tsx';
import { given } from '../../ui/format.tsx';
import css from './imports.module.css';

interface FilterBarProps {
  filters: Filters;
  /** Counts by status, independent of the status filter; null while unknown. */
  counts: { by_status: Record<string, number>; complete: boolean } | null;
  onChange(filters: Filters): void;
}

export function FilterBar({ filters, counts, onChange }: FilterBarProps) {
  const set = (change: Partial<Filters>) => onChange({ ...filters, ...change });
  const { comment, client_id, from, to } = filters;
  const more = [comment, client_id, from, to].filter((value) => value !== '').length;
  return (
    <div class={`stack ${css.filters}`}>
      <div class="toolbar">
        <Field label="File name">
          <SearchInput
            value={filters.file_name}
            onSearch={(file_name) => set({ file_name })}
            placeholder="Part of it"
          />
        </Field>
        <label class={css.check}>
          <input
            type="checkbox"
            checked={filters.has_failures === 'true'}
            onChange={(event) => set({ has_failures: event.currentTarget.checked ? 'true' : '' })}
          />
          With failures only
        </label>
        {isFiltered(filters) && (
          <Button kind="quiet" onClick={() => onChange({ ...NO_FILTERS })}>
            Clear filters
          </Button>
        )}
      </div>
      <details open={more > 0}>
        <summary class="unfolds">More filters{more > 0 && ` (${more})`}</summary>
        <div class={`columns ${css.more}`} style={{ '--least': '13rem' }}>
          <Field label="Comment">
            <SearchInput value={comment} onSearch={(text) => set({ comment: text })} />
          </Field>
          {can('getAuditEvents') && (
            <Field label="Client">
              <SearchInput value={client_id} onSearch={(text) => set({ client_id: text })} />
            </Field>
          )}
          <Field label="Uploaded from">
            <DayInput value={from} onDay={(day) => set({ from: day })} />
          </Field>
          <Field
            label="Uploaded until"
            fault={isReversed(filters) ? 'This day is before “Uploaded from”.' : null}
          >
            <DayInput value={to} onDay={(day) => set({ to: day })} />
          </Field>
        </div>
      </details>
      <Chips
        label="Status"
        chips={chipsOf(counts?.by_status)}
        selected={filters.status}
        onSelect={(status) => set({ status })}
      />
      {counts?.complete === false && <p class="muted">The numbers count the newest imports only.</p>}
    </div>
  );
}

function chipsOf(byStatus: Record<string, number> | undefined): Chip<Filters['status']>[] {
  const all = byStatus && Object.values(byStatus).reduce((sum, count) => sum + count, 0);
  return [
    { name: '', label: 'All', count: all },
    ...IMPORT_STATUSES.map((status) => ({
      name: status,
      ...statusOf(status),
      count: byStatus && (byStatus[status] ?? 0),
    })),
  ];
}

/** As in the address of the page, and empty for none: a type alias, so that it is a record of texts. */
export type Filters = {
  status: ImportStatus | '';
  has_failures: 'true' | '';
  file_name: string;
  comment: string;
  client_id: string;
  /** Days of the viewer, as `2026-01-31`. Both are included. */
  from: string;
  to: string;
};

export const isFiltered = (filters: Filters): boolean => Object.values(filters).some((value) => value !== '');

/** @param query of the address; invalid values are ignored */
export function filtersOf(query: Readonly<Record<string, string>>): Filters {
  const { file_name = '', comment = '', client_id = '' } = query;
  return {
    status: IMPORT_STATUSES.find((one) => one === query.status) ?? '',
    has_failures: query.has_failures === 'true' ? 'true' : '',
    file_name,
    comment,
    client_id,
    from: dayIn(query.from),
    to: dayIn(query.to),
  };
}

const dayIn = (text = ''): string =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';

export const NO_FILTERS = filtersOf({});

/** The query of the API: days of the viewer become times. A last day before the first is left out. */
export function queryOf(filters: Filters): ImportListQuery {
  const { from, to } = filters;
  const query = {
    ...filters,
    from: from && startOf(from, 0),
    to: to && !isReversed(filters) ? startOf(to, 1) : '',
  };
  return given(query) as ImportListQuery;
}

const isReversed = ({ from, to }: Pick<Filters, 'from' | 'to'>): boolean =>
  from !== '' && to !== '' && to < from;

/** Returns the start of a day in the viewer's time zone, or of a day some days later. */
function startOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}
