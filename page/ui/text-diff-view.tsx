/** The changes between two texts, computed in a worker. */
import { DiffView } from './diff-view.tsx';
import { countOf, formatNumber } from './format.tsx';
import type { TextDiff } from './text-diff.ts';

export function Diff({ diff: { hunks, added, removed, leftOut } }: { diff: TextDiff }) {
  if (hunks.length === 0) return <p class="muted">No differences.</p>;
  return (
    <>
      <p>
        {countOf(added, 'line')} added, {formatNumber(removed)} removed
      </p>
      <DiffView hunks={hunks} label="Changed lines" />
      {leftOut > 0 && <p class="muted">{countOf(leftOut, 'more line')} not shown.</p>}
    </>
  );
}

/** @returns null where the texts are too different @throws AbortError; Error when the comparison fails */
export function diffInWorker(texts: string[], signal: AbortSignal): Promise<TextDiff | null> {
  const worker = new Worker(new URL('./text-diff.ts', import.meta.url), { type: 'module' });
  return new Promise<TextDiff | null>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<TextDiff | null>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message || 'The comparison failed.'));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    worker.postMessage(texts);
  }).finally(() => worker.terminate());
}
