/** What is under way at this moment. */
import { useId } from 'preact/hooks';
import type { components } from '../../api/generated/api.d.ts';
import { usePolled } from '../../api/use-polled.ts';
import { Button } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { PolledContent } from '../../ui/states.tsx';
import { type Column, VirtualTable } from '../../ui/virtual-table.tsx';
import { saveText } from './save-text.ts';

type Waiting = components['schemas']['WaitingNow'];

export function WaitingNow({ clientId }: { clientId: string | null }) {
  const heading = useId();
  const query = { limit: 1, ...(clientId !== null && { client_id: clientId }) };
  const polled = usePolled('/regulator/statistics', { query }, { everyMs: 5_000 });
  const waiting = polled.data?.waiting_now ?? [];
  return (
    <section class="card chart" aria-labelledby={heading}>
      <header>
        <h2 id={heading}>Waiting now</h2>
        <div class="chart-actions">
          <Button kind="quiet" onClick={() => saveText(waitingCsv(waiting), 'waiting-now.csv')}>
            CSV<span class="hidden-text"> of what waits</span>
          </Button>
        </div>
      </header>
      <p class="muted">Imports that have not ended, and products on their way to the regulator.</p>
      <div class="waiting">
        <PolledContent polled={polled}>
          {() =>
            waiting.length === 0 ? (
              <p class="plot-empty muted">Nothing is under way</p>
            ) : (
              <VirtualTable
                label="Waiting now"
                columns={columnsFor(waiting)}
                rows={waiting}
                keyOf={({ client_id }) => client_id}
                rowHeight={36}
              />
            )
          }
        </PolledContent>
      </div>
    </section>
  );
}

function columnsFor(waiting: readonly Waiting[]): Column<Waiting>[] {
  const most = Math.max(1, ...waiting.map(({ inserting }) => inserting));
  return [
    {
      ...{ name: 'client', title: 'Client', width: 'minmax(6rem, 2fr)' },
      cell: ({ client_id }) => <span title={client_id}>{client_id}</span>,
    },
    {
      ...{ name: 'imports', title: 'Imports', width: '5rem', align: 'end' },
      cell: ({ imports }) => formatNumber(imports),
    },
    {
      ...{ name: 'products', title: 'Products', width: '5rem', align: 'end' },
      cell: ({ inserting }) => formatNumber(inserting),
    },
    {
      ...{ name: 'bar', title: '', width: 'minmax(4rem, 3fr)', narrow: null },
      cell: ({ inserting }) => <span class="waiting-bar" style={{ width: `${(100 * inserting) / most}%` }} />,
    },
  ];
}

/** Names of clients are texts of others: quoted, and none that a spreadsheet takes for a formula. */
export function waitingCsv(waiting: readonly Waiting[]): string {
  const quoted = (text: string) =>
    `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const rows = waiting.map(({ client_id, imports, inserting }) =>
    [quoted(client_id), imports, inserting].join(','),
  );
  return `${['client_id,imports,inserting', ...rows].join('\r\n')}\r\n`;
}
