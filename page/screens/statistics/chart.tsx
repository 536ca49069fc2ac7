/** One question with its answer: a plot, the same as a table, and the same as a file. */
import { useId, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { type Column, VirtualTable } from '../../ui/virtual-table.tsx';
import { Legend } from './legend.tsx';
import { readable, type Span } from './period.ts';
import { type Kind, Plot } from './plot.tsx';
import { saveText } from './save-text.ts';
import { type Series, toCsv } from './series.ts';
import css from './statistics.module.css';
import type { Unit } from './units.ts';

interface ChartProps {
  title: string;
  /** What somebody has to know to read it. */
  hint: string;
  /** Of its file, without extension. */
  name: string;
  by: Span;
  spans: readonly string[];
  series: readonly Series[];
  kind: Kind;
  unit: Unit;
}

export function Chart({ title, hint, name, by, spans, series, kind, unit }: ChartProps) {
  const heading = useId();
  const [isTable, setIsTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const isEmpty = series.every(({ values }) => values.every((value) => value === null || value === 0));
  const [first, last] = [spans[0] ?? '', spans.at(-1) ?? ''];
  const save = () => saveText(toCsv(by, spans, series), fileOf(name, first, last));
  return (
    <section class={`card ${css.chart}`} aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{title}</h2>
        <div class={css.chartActions}>
          <Button kind="quiet" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
            Table<span class="hidden-text"> of {title}</span>
          </Button>
          <Button kind="quiet" onClick={save}>
            CSV<span class="hidden-text"> of {title}</span>
          </Button>
        </div>
      </header>
      <p class="muted">{hint}</p>
      {isTable ? (
        <ChartTable {...{ title, by, spans, series, unit }} />
      ) : (
        <>
          <div class={css.plotFrame}>
            <Plot
              {...{ by, spans, series, kind, unit }}
              label={`${title}, ${readable(first)} to ${readable(last)}, UTC. The same as a table: button Table.`}
              onSpan={setAt}
            />
            {isEmpty && <p class={`${css.plotEmpty} muted`}>Nothing in this time</p>}
          </div>
          <p class={`${css.legendDay} muted number`}>
            {at === null ? wholeOf(kind, by) : readable(spans[at] ?? '')}
          </p>
          <Legend series={series} kind={kind} at={at} unit={unit} />
        </>
      )}
    </section>
  );
}

const wholeOf = (kind: Kind, by: Span) =>
  kind === 'bars' ? `All ${by}s together` : `Last ${by} with a value`;

/** Of hours without their colons, which not every system has in names. */
const fileOf = (name: string, ...ends: string[]) =>
  `${[name, ...ends.map((at) => at.replace(':00Z', 'h'))].join('-')}.csv`;

interface Row {
  at: string;
  index: number;
}

type ChartTableProps = Pick<ChartProps, 'title' | 'by' | 'spans' | 'series' | 'unit'>;

function ChartTable({ title, by, spans, series, unit }: ChartTableProps) {
  const columns: Column<Row>[] = [
    {
      ...{ name: by, title: by === 'day' ? 'Day (UTC)' : 'Hour (UTC)' },
      ...(by === 'day' ? { width: '7rem', narrow: '6rem' } : { width: '9rem', narrow: '8.5rem' }),
      cell: ({ at }) => readable(at),
    },
    ...series.map(({ name, label, values }) => ({
      ...{ name, title: label, width: 'minmax(5rem, 1fr)', align: 'end' as const },
      cell: ({ index }: Row) => {
        const value = values[index] ?? null;
        return value === null ? '–' : unit.format(value);
      },
    })),
  ];
  const rows = spans.map((at, index) => ({ at, index })).reverse();
  return <VirtualTable label={title} columns={columns} rows={rows} keyOf={({ at }) => at} rowHeight={32} />;
}
