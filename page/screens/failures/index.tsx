/** Failed products over all imports, in groups that a person selects and retries. */
import { useEffect, useState } from 'preact/hooks';
import type { ImportAction } from '../../../src/contract/statuses.ts';
import type { Failures } from '../../../src/contract/types.ts';
import { usePolled } from '../../api/use-data.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { Button } from '../../ui/button.tsx';
import { DayInput, Field, SearchInput } from '../../ui/field.tsx';
import { formatNumber, given, Time } from '../../ui/format.tsx';
import { stepLabel } from '../../ui/progress.tsx';
import { EmptyState, LoadedContent, Screen } from '../../ui/states.tsx';
import { useFilter } from '../../ui/use-filter.ts';
import { type Column, VirtualTable } from '../../ui/virtual-table.tsx';
import { amountText, RunButton, RunState } from './run.tsx';

const NAMES = ['failed_since', 'submitter_id', 'client_id'] as const;
type Group = Failures['groups'][number];

const EVERY_MS = 10_000;
const keyOf = ({ reason_code, step }: Group): string => `${reason_code}:${step ?? ''}`;
/** `Regulator rejected` for `regulator_rejected`. */
const labelOf = ({ reason_code: code }: Group): string =>
  code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');

export default function FailuresScreen() {
  // The API refuses invalid values: without its filter, a run would cover all failures.
  const filter = given(useFilter(...NAMES)[0]);
  const failures = usePolled('getFailures', { query: filter }, { everyMs: EVERY_MS });
  const run = usePolled('getFailuresRun', {}).data?.run ?? null;
  const [selected, setSelected] = useState<readonly string[]>([]);
  const toggle = (group: Group) => {
    const others = selected.filter((key) => key !== keyOf(group));
    setSelected(others.length < selected.length ? others : [...others, keyOf(group)]);
  };
  // The groups change with the run. The first ones are being loaded.
  useEffect(() => {
    if (failures.data) failures.refresh();
  }, [run?.status, run?.done_imports]);
  const groups = failures.data?.groups ?? [];
  const chosen = groups.map(keyOf).filter((key) => selected.includes(key));
  const query = chosen.length > 0 ? { ...filter, group: chosen.join(',') } : filter;
  const which = selected.length > 0 ? 'selected' : 'all that match';
  // A run over all would be more than the person has selected.
  const isGone = selected.length > 0 && chosen.length === 0;
  return (
    <Screen title="Failures">
      <div class="stack">
        {run && <RunState run={run} />}
        <Filters />
        {run?.status !== 'running' && groups.length > 0 && can('postFailuresAction') && (
          <div class="cluster">
            {actionsOf().map((action) => (
              <RunButton
                key={action}
                action={action}
                label={action === 'cancel' ? `Cancel imports of ${which}` : `Retry ${which}`}
                query={query}
                disabled={isGone}
                onStart={() => setSelected([])}
              />
            ))}
            {isGone && (
              <span role="status">
                No selected group has failures any more.
                <Button kind="quiet" onClick={() => setSelected([])}>
                  Clear the selection
                </Button>
              </span>
            )}
          </div>
        )}
        <LoadedContent of={failures}>
          {(found) =>
            groups.length === 0 ? (
              <EmptyState title="No failed product matches" />
            ) : (
              <>
                <p class="muted">{amountText(found)}</p>
                <VirtualTable
                  label="Failures"
                  columns={columnsFor(selected, toggle)}
                  rows={groups}
                  keyOf={keyOf}
                  onOpen={toggle}
                  rowHeight={56}
                />
              </>
            )
          }
        </LoadedContent>
      </div>
    </Screen>
  );
}

/** Cancelling also needs the permission to import. */
const actionsOf = (): ImportAction[] =>
  can('postImportCancellation') ? ['regulator-insert', 'cancel'] : ['regulator-insert'];

function Filters() {
  const [{ failed_since, submitter_id, client_id }, set] = useFilter(...NAMES);
  return (
    <div class="toolbar">
      <Field label="Failed since (UTC)">
        <DayInput value={failed_since} onDay={(day) => set({ failed_since: day })} />
      </Field>
      <Field label="Submitter">
        <SearchInput value={submitter_id} placeholder="ID" onSearch={(text) => set({ submitter_id: text })} />
      </Field>
      {can('getAuditEvents') && (
        <Field label="Client">
          <SearchInput value={client_id} onSearch={(text) => set({ client_id: text })} />
        </Field>
      )}
    </div>
  );
}

function columnsFor(selected: readonly string[], toggle: (group: Group) => void): Column<Group>[] {
  const stepOf = ({ step }: Group) => (step === null ? 'No step' : stepLabel(step));
  return [
    {
      ...{ title: <span class="hidden-text">Selected</span>, width: '1.5rem', narrow: '1.5rem' },
      cell: (group) => (
        <input
          type="checkbox"
          aria-label={`${labelOf(group)}, ${stepOf(group)}`}
          checked={selected.includes(keyOf(group))}
          onChange={() => toggle(group)}
        />
      ),
    },
    {
      ...{ title: 'Reason', width: 'minmax(12rem, 3fr)', narrow: 'minmax(5rem, 1fr)' },
      cell: (group) => (
        <span class="two-lines" title={group.example.reason ?? undefined}>
          <span>{labelOf(group)}</span>
          <span class="muted small">{group.action}</span>
        </span>
      ),
    },
    { title: 'Step', width: 'minmax(8rem, 1fr)', cell: stepOf },
    {
      ...{ title: 'Products', width: '5rem', narrow: '5rem', align: 'end' },
      cell: ({ products }) => formatNumber(products),
    },
    { title: 'Imports', width: '5rem', align: 'end', cell: ({ imports }) => formatNumber(imports) },
    {
      ...{ title: 'Since', width: '11rem' },
      cell: ({ first_failed_at }) => <Time value={first_failed_at} />,
    },
    {
      ...{ title: 'Example', width: '9rem' },
      cell: ({ example }) => <a href={to(`imports/${example.package_import_id}`)}>{example.product_id}</a>,
    },
  ];
}
