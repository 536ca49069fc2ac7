/** What is so at this moment, client by client: as bars, a table and a file. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Polled } from '../../api/use-polled.ts';
import { Button } from '../../ui/button.tsx';
import { PolledContent } from '../../ui/states.tsx';
import { type Column, VirtualTable } from '../../ui/virtual-table.tsx';
import { saveText } from './save-text.ts';
import css from './statistics.module.css';

/** A number of each client. */
export interface Figure<Row> {
  /** Of its column in the file. */
  name: string;
  title: string;
  width: string;
  /** On a small screen; null leaves it to the file. */
  narrow?: string | null;
  of(row: Row): number;
  format(value: number): string;
}

interface OfClient {
  client_id: string;
}

interface ClientFiguresProps<Row> {
  title: string;
  hint: string;
  /** Of its file, without extension. */
  name: string;
  polled: Polled<unknown>;
  rows: readonly Row[];
  figures: readonly Figure<Row>[];
  /** How long the bar of a client is, beside those of the others. */
  barOf(row: Row): number;
  empty: string;
  children?: ComponentChildren;
}

export function ClientFigures<Row extends OfClient>(props: ClientFiguresProps<Row>) {
  const { title, hint, name, polled, rows, figures, barOf, empty, children } = props;
  const heading = useId();
  return (
    <section class={`card ${css.chart}`} aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{title}</h2>
        <div class={css.chartActions}>
          <Button kind="quiet" onClick={() => saveText(figuresCsv(rows, figures), `${name}.csv`)}>
            CSV<span class="hidden-text"> of {title}</span>
          </Button>
        </div>
      </header>
      <p class="muted">{hint}</p>
      <div class={css.clientFigures}>
        <PolledContent polled={polled}>
          {() =>
            rows.length === 0 ? (
              <p class={`${css.plotEmpty} muted`}>{empty}</p>
            ) : (
              <>
                {children}
                <VirtualTable
                  label={title}
                  columns={columnsOf(rows, figures, barOf)}
                  rows={rows}
                  keyOf={({ client_id }) => client_id}
                  rowHeight={44}
                />
              </>
            )
          }
        </PolledContent>
      </div>
    </section>
  );
}

function columnsOf<Row extends OfClient>(
  rows: readonly Row[],
  figures: readonly Figure<Row>[],
  barOf: (row: Row) => number,
): Column<Row>[] {
  const most = Math.max(1, ...rows.map(barOf));
  return [
    {
      ...{ name: 'client', title: 'Client', width: 'minmax(5rem, 2fr)' },
      cell: (row) => (
        <span class={css.figureClient} title={row.client_id}>
          <span>{row.client_id}</span>
          <span class={css.figureBar} style={{ width: `${(100 * barOf(row)) / most}%` }} />
        </span>
      ),
    },
    ...figures.map(
      ({ name, title, width, narrow = width, of, format }): Column<Row> => ({
        ...{ name, title, width, narrow, align: 'end' },
        cell: (row) => format(of(row)),
      }),
    ),
  ];
}

/** Names of clients are texts of others: quoted, and none that a spreadsheet takes for a formula. */
export function figuresCsv<Row extends OfClient>(
  rows: readonly Row[],
  figures: readonly Pick<Figure<Row>, 'name' | 'of'>[],
): string {
  const quoted = (text: string) =>
    `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const lines = rows.map((row) => [quoted(row.client_id), ...figures.map(({ of }) => of(row))].join(','));
  return `${[['client_id', ...figures.map(({ name }) => name)].join(','), ...lines].join('\r\n')}\r\n`;
}
