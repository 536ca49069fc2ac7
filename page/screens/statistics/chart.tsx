/** One chart: a plot with its legend, the same numbers as a table and as a file. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Span } from '../../../src/contract/statuses.ts';
import { saveBlob } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, VirtualTable } from '../../ui/virtual-table.tsx';
import { type Kind, Plot, type Unit } from './plot.tsx';
import { type CsvRows, csvOf, readable, rowsOf, type Series, totalOf } from './series.ts';
import css from './statistics.module.css';

interface ChartCardProps {
  title: string;
  hint: string;
  /** The rows of the CSV file, the head first. */
  csv(): CsvRows;
  fileName: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function ChartCard({ title, hint, csv, fileName, actions, children }: ChartCardProps) {
  const heading = useId();
  return (
    <section class={`card ${css.chart}`} aria-labelledby={heading}>
      <header class="cluster apart">
        <h2 id={heading}>{title}</h2>
        <div class={css.actions}>
          {actions}
          <Button kind="quiet" onClick={() => saveCsv(csv(), fileName)}>
            CSV<span class="hidden-text"> of {title}</span>
          </Button>
        </div>
      </header>
      <p class="muted">{hint}</p>
      {children}
    </section>
  );
}

const saveCsv = (rows: CsvRows, name: string) =>
  saveBlob(new Blob([csvOf(rows)], { type: 'text/csv;charset=utf-8' }), `${name}.csv`);

export interface ChartProps {
  title: string;
  hint: string;
  /** The file name without extension. */
  name: string;
  period: { by: Span; spans: readonly string[] };
  series: readonly Series[];
  kind: Kind;
  unit: Unit;
}

export function Chart({ title, hint, name, period, series, kind, unit }: ChartProps) {
  const { by, spans } = period;
  const [isTable, setIsTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const isEmpty = series.every(({ values }) => values.every((value) => value === null || value === 0));
  const [first, last] = [spans[0] ?? '', spans.at(-1) ?? ''];
  const whole = kind === 'bars' ? `All ${by}s` : `Last ${by} with a value`;
  return (
    <ChartCard
      title={title}
      hint={hint}
      csv={() => rowsOf(by, spans, series)}
      // Not every system allows colons in names.
      fileName={[name, first, last].join('-').replaceAll(':00Z', 'h')}
      actions={
        <Button kind="quiet" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          Table<span class="hidden-text"> of {title}</span>
        </Button>
      }
    >
      {isTable ? (
        <ChartTable title={title} period={period} series={series} unit={unit} />
      ) : (
        <>
          <div class={css.frame}>
            <Plot
              by={by}
              spans={spans}
              series={series}
              kind={kind}
              unit={unit}
              label={`${title}, ${readable(first)} to ${readable(last)}, UTC. The button Table shows the numbers.`}
              onSpan={setAt}
            />
            {isEmpty && <p class={`${css.empty} muted`}>No data in this period</p>}
          </div>
          <p class="muted number small">{at === null ? whole : readable(spans[at] ?? '')}</p>
          <Legend series={series} kind={kind} at={at} unit={unit} />
        </>
      )}
    </ChartCard>
  );
}

interface LegendProps extends Pick<ChartProps, 'series' | 'kind' | 'unit'> {
  /** The index of the day or hour under the pointer; null for all bars, or the last value of a line. */
  at: number | null;
}

/** The name, the colour and the value of each series. */
function Legend({ series, kind, at, unit }: LegendProps) {
  const overall = (one: Series) =>
    kind === 'bars' ? totalOf(one) : (one.values.findLast((value) => value !== null) ?? null);
  return (
    <ul class={`cluster small ${css.legend}`}>
      {series.map((one) => {
        const value = at === null ? overall(one) : (one.values[at] ?? null);
        return (
          <li key={one.name}>
            <span
              class={kind === 'bars' ? css.bar : css.line}
              style={{ color: `var(--chart-${one.colour})`, borderStyle: one.isDashed ? 'dashed' : 'solid' }}
            />
            {one.label}
            <strong class="number">{value === null ? '–' : unit.format(value)}</strong>
          </li>
        );
      })}
    </ul>
  );
}

interface Row {
  at: string;
  index: number;
}

function ChartTable({ title, period, series, unit }: Omit<ChartProps, 'hint' | 'name' | 'kind'>) {
  const { by, spans } = period;
  const columns: Column<Row>[] = [
    {
      title: by === 'day' ? 'Day (UTC)' : 'Hour (UTC)',
      width: by === 'day' ? '7rem' : '9rem',
      narrow: by === 'day' ? '6rem' : '8.5rem',
      cell: ({ at }) => readable(at),
    },
    ...series.map(
      ({ label, values }): Column<Row> => ({
        title: label,
        width: 'minmax(5rem, 1fr)',
        narrow: 'minmax(5rem, 1fr)',
        align: 'end',
        cell: ({ index }) => {
          const value = values[index] ?? null;
          return value === null ? '–' : unit.format(value);
        },
      }),
    ),
  ];
  const rows = spans.map((at, index) => ({ at, index })).reverse();
  return <VirtualTable label={title} columns={columns} rows={rows} keyOf={({ at }) => at} rowHeight={32} />;
}
