/** The filters of the list, which the address keeps. */
import { IMPORT_STATUSES } from '../../../src/contract/statuses.ts';
import { can } from '../../auth/login.ts';
import { type Chip, Chips, statusOf } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DayInput, Field, SearchInput } from '../../ui/field.tsx';
import { type Filters, isFiltered, isReversed, NO_FILTERS } from './filters.ts';
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
