import { formatNumber } from '../../ui/format.ts';

/** Attachment and submitter files that could not be read: they kept no product from being imported. */
export function Unreadable({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <details class="card">
      <summary>
        {formatNumber(notes.length)} attachment and submitter {notes.length === 1 ? 'file' : 'files'} could
        not be read
      </summary>
      <ul class="bullets">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  );
}
