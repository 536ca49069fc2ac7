/** What is under way at this moment. */
import type { WaitingNow as Waiting } from '../../../src/contract/types.ts';
import { usePolled } from '../../api/use-polled.ts';
import { formatNumber } from '../../ui/format.ts';
import { ClientFigures, type Figure } from './client-figures.tsx';

const inserting = (row: Waiting) => row.inserting;

const FIGURES: readonly Figure<Waiting>[] = [
  { name: 'imports', title: 'Imports', width: '5rem', of: ({ imports }) => imports, format: formatNumber },
  { name: 'inserting', title: 'Products', width: '5rem', of: inserting, format: formatNumber },
];

export function WaitingNow({ clientId }: { clientId: string | null }) {
  const query = { limit: 1, ...(clientId !== null && { client_id: clientId }) };
  const polled = usePolled('getStatistics', { query }, { everyMs: 5_000 });
  return (
    <ClientFigures
      {...{ title: 'Waiting now', name: 'waiting-now', polled, figures: FIGURES }}
      hint="Imports that have not ended, and products on their way to the regulator."
      rows={polled.data?.waiting_now ?? []}
      barOf={inserting}
      empty="Nothing is under way"
    />
  );
}
