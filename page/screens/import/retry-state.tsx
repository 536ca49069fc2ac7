/** What became of running everything again: until all have their result, and what was refused. */
import { formatNumber } from '../../ui/format.ts';
import type { Retry } from './use-import.ts';

export function RetryState({ retry }: { retry: Retry }) {
  const { queued_count, failed_count, pending_count, results } = retry;
  const refused = results.filter(({ ok }) => !ok);
  return (
    <span class="muted">
      {formatNumber(queued_count)} queued
      {failed_count > 0 && `, ${formatNumber(failed_count)} not`}
      {pending_count > 0 && `, ${formatNumber(pending_count)} to come`}
      {refused.length > 0 && (
        <details>
          <summary>Why not</summary>
          <ul class="bullets">
            {refused.map(({ submission_id, product_id, message }) => (
              <li key={submission_id}>
                <span class="mono">{product_id}</span>: {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </span>
  );
}
