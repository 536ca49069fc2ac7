/** One question with its answer: a plot, the same as a table, and the same as a file. */
import { useId, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { type Column, VirtualTable } from '../../ui/virtual-table.tsx';
import { Legend } from './legend.tsx';
import { type Kind, Plot } from './plot.tsx';
import { saveText } from './save-text.ts';
import { type Series, toCsv } from './series.ts';
import type { Unit } from './units.ts';

interface ChartProps {
  title: string;
  /** What somebody has to know to read it. */
  hint: string;
  /** Of its file, without extension. */
  name: string;
  days: readonly string[];
  series: readonly Series[];
  kind: Kind;
  unit: Unit;
}

export function Chart({ title, hint, name, days, series, kind, unit }: ChartProps) {
  const heading = useId();
  const [isTable, setIsTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const isEmpty = series.every(({ values }) => values.every((value) => value === null || value === 0));
  const [first, last] = [days[0] ?? '', days.at(-1) ?? ''];
  return (
    <section class="card chart" aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{title}</h2>
        <div class="chart-actions">
          <Button kind="quiet" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
            Table<span class="hidden-text"> of {title}</span>
          </Button>
          <Button kind="quiet" onClick={() => saveText(toCsv(days, series), `${name}-${first}-${last}.csv`)}>
            CSV<span class="hidden-text"> of {title}</span>
          </Button>
        </div>
      </header>
      <p class="muted">{hint}</p>
      {isTable ? (
        <ChartTable title={title} days={days} series={series} unit={unit} />
      ) : (
        <>
          <div class="plot-frame">
            <Plot
              {...{ days, series, kind, unit }}
              label={`${title}, ${first} to ${last}. The same as a table: button Table.`}
              onDay={setAt}
            />
            {isEmpty && <p class="plot-empty muted">Nothing in this time</p>}
          </div>
          <p class="legend-day muted number">{at === null ? wholeOf(kind) : days[at]}</p>
          <Legend series={series} kind={kind} at={at} unit={unit} />
        </>
      )}
    </section>
  );
}

const wholeOf = (kind: Kind) => (kind === 'bars' ? 'All days together' : 'Last day with a value');

interface Row {
  day: string;
  index: number;
}

function ChartTable({ title, days, series, unit }: Pick<ChartProps, 'title' | 'days' | 'series' | 'unit'>) {
  const columns: Column<Row>[] = [
    { name: 'day', title: 'Day (UTC)', width: '7rem', narrow: '6rem', cell: ({ day }) => day },
    ...series.map(({ name, label, values }) => ({
      ...{ name, title: label, width: 'minmax(5rem, 1fr)', align: 'end' as const },
      cell: ({ index }: Row) => {
        const value = values[index] ?? null;
        return value === null ? '–' : unit.format(value);
      },
    })),
  ];
  const rows = days.map((day, index) => ({ day, index })).reverse();
  return <VirtualTable label={title} columns={columns} rows={rows} keyOf={({ day }) => day} rowHeight={32} />;
}
