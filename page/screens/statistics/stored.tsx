/** What the packages take at this moment, until retention removes them. */
import type { StoredNow as Stored } from '../../../src/contract/types.ts';
import { usePolled } from '../../api/use-polled.ts';
import { formatBytes, formatNumber } from '../../ui/format.ts';
import { ClientFigures, type Figure } from './client-figures.tsx';
import css from './statistics.module.css';

const FIGURES: readonly Figure<Stored>[] = [
  {
    name: 'packages',
    of: (row) => row.packages,
    title: 'Packages',
    width: '5rem',
    narrow: null,
    format: formatNumber,
  },
  {
    name: 'package_bytes',
    of: (row) => row.package_bytes,
    title: 'Size',
    width: '5.5rem',
    narrow: '5rem',
    format: formatBytes,
  },
  {
    name: 'attachment_bytes',
    of: (row) => row.attachment_bytes,
    title: 'Attachments',
    width: '6rem',
    narrow: '6.5rem',
    format: formatBytes,
  },
];

export function StoredNow({ clientId }: { clientId: string | null }) {
  const query = clientId === null ? {} : { client_id: clientId };
  const polled = usePolled('getStored', { query }, { everyMs: 60_000 });
  const rows = polled.data?.stored ?? [];
  return (
    <ClientFigures
      {...{ title: 'Stored now', name: 'stored-now', polled, rows, figures: FIGURES }}
      hint="Packages that retention has not removed, and the attachments that were taken out of them."
      barOf={bytesOf}
      empty="Nothing is stored"
    >
      <p class={css.storedSum}>
        <strong class="number">{formatBytes(rows.reduce((sum, row) => sum + bytesOf(row), 0))}</strong> in all
      </p>
    </ClientFigures>
  );
}

const bytesOf = ({ package_bytes, attachment_bytes }: Stored) => package_bytes + attachment_bytes;
