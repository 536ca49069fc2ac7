/** Current figures by client: running imports, and stored packages. */
import type { ComponentChildren } from 'preact';
import { formatBytes } from '../../../src/common/measures.ts';
import type { StoredNow as Stored, WaitingNow as Waiting } from '../../../src/contract/types.ts';
import { type Loaded, usePolled } from '../../api/use-data.ts';
import { formatNumber } from '../../ui/format.tsx';
import { LoadedContent } from '../../ui/states.tsx';
import { type Column, VirtualTable } from '../../ui/virtual-table.tsx';
import { ChartCard } from './chart.tsx';
import type { CsvRows } from './series.ts';
import css from './statistics.module.css';

/** A number of each client. */
interface Figure<Row> {
  /** Its field, and the name of its column in the file. */
  name: Exclude<keyof Row, 'client_id'> & string;
  title: string;
  format(value: number): string;
  /** Left out on a small screen. */
  isWide?: boolean;
}

const RUNNING: readonly Figure<Waiting>[] = [
  { name: 'imports', title: 'Imports', format: formatNumber },
  { name: 'inserting', title: 'Products', format: formatNumber },
];

export function WaitingNow({ clientId }: { clientId: string | null }) {
  const query = { limit: 1, client_id: clientId ?? undefined };
  const polled = usePolled('getStatistics', { query }, { everyMs: 5_000 });
  return (
    <ClientFigures
      title="Running now"
      hint="Running imports, and products that are being inserted."
      name="running-now"
      polled={polled}
      rows={polled.data?.waiting_now ?? []}
      figures={RUNNING}
      barOf={({ inserting }) => inserting}
      empty="No running imports"
    />
  );
}

const STORED: readonly Figure<Stored>[] = [
  { name: 'packages', title: 'Packages', format: formatNumber, isWide: true },
  { name: 'package_bytes', title: 'Size', format: formatBytes },
  { name: 'attachment_bytes', title: 'Attachments', format: formatBytes },
];

export function StoredNow({ clientId }: { clientId: string | null }) {
  const query = { client_id: clientId ?? undefined };
  const polled = usePolled('getStored', { query }, { everyMs: 60_000 });
  const rows = polled.data?.stored ?? [];
  const bytesOf = ({ package_bytes, attachment_bytes }: Stored) => package_bytes + attachment_bytes;
  return (
    <ClientFigures
      title="Stored now"
      hint="Packages within their retention period, and their attachments."
      name="stored-now"
      polled={polled}
      rows={rows}
      figures={STORED}
      barOf={bytesOf}
      empty="No stored packages"
    >
      <p class={css.sum}>
        <strong class="number">{formatBytes(rows.reduce((sum, row) => sum + bytesOf(row), 0))}</strong> in
        total
      </p>
    </ClientFigures>
  );
}

interface ClientFiguresProps<Row> {
  title: string;
  hint: string;
  /** The file name without extension. */
  name: string;
  polled: Loaded<unknown>;
  rows: readonly Row[];
  figures: readonly Figure<Row>[];
  /** The length of the bar of a client, relative to the others. */
  barOf(row: Row): number;
  empty: string;
  children?: ComponentChildren;
}

function ClientFigures<Row extends { client_id: string }>(props: ClientFiguresProps<Row>) {
  const { title, hint, name, polled, rows, figures, barOf, empty, children } = props;
  const most = Math.max(1, ...rows.map(barOf));
  const columns: Column<Row>[] = [
    {
      title: 'Client',
      width: 'minmax(5rem, 2fr)',
      narrow: 'minmax(3rem, 2fr)',
      cell: (row) => (
        <span class={css.client} title={row.client_id}>
          <span>{row.client_id}</span>
          <span class={css.share} style={{ width: `${(100 * barOf(row)) / most}%` }} />
        </span>
      ),
    },
    ...figures.map(
      ({ name, title, isWide, format }): Column<Row> => ({
        title,
        width: '6.5rem',
        narrow: isWide ? undefined : '6rem',
        align: 'end',
        cell: (row) => format(Number(row[name])),
      }),
    ),
  ];
  const csv = (): CsvRows => [
    ['client_id', ...figures.map((figure) => figure.name)],
    ...rows.map((row) => [row.client_id, ...figures.map(({ name }) => Number(row[name]))]),
  ];
  return (
    <ChartCard title={title} hint={hint} csv={csv} fileName={name}>
      <div class={css.figures}>
        <LoadedContent of={polled}>
          {() =>
            rows.length === 0 ? (
              <p class={`${css.empty} muted`}>{empty}</p>
            ) : (
              <>
                {children}
                <VirtualTable
                  label={title}
                  columns={columns}
                  rows={rows}
                  keyOf={({ client_id }) => client_id}
                  rowHeight={44}
                />
              </>
            )
          }
        </LoadedContent>
      </div>
    </ChartCard>
  );
}
