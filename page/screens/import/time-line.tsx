/** The events of the import. */
import { Icon, type IconName } from '../../ui/badge.tsx';
import { formatNumber, personOf } from '../../ui/format.ts';
import { Notes } from '../../ui/notes.tsx';
import { Duration, Time } from '../../ui/time.tsx';
import css from './import.module.css';
import type { Report } from './rows.ts';
import type { Retry, Summary } from './use-import.ts';

interface Moment {
  /** ISO 8601. */
  at: string;
  title: string;
  icon: IconName;
  /** The progress of a retry. */
  retry?: Retry | undefined;
}

/** Events in order of time. Pure. */
export function momentsOf(summary: Summary, report: Report | undefined, retry: Retry | undefined): Moment[] {
  const { zip_file, completed_at, cancellation, status } = summary;
  const read = (report?.submissions ?? []).map(({ created_at }) => created_at).sort();
  const [first, last] = [read[0], read.at(-1)];
  const end = status === 'completed' ? 'good' : 'bad';
  const moments: (Omit<Moment, 'at'> & { at: string | null | undefined })[] = [
    { at: zip_file.uploaded_at, title: 'Uploaded', icon: 'package' },
    { at: first, title: 'First product read', icon: 'good' },
    {
      at: last !== first && status !== 'extracting' ? last : null,
      title: 'Last product queued',
      icon: 'good',
    },
    {
      at: cancellation?.requested_at,
      title: `Cancelled by ${personOf(cancellation?.requested_by ?? '')}`,
      icon: 'bad',
    },
    {
      at: retry?.requested_at,
      title: `Retried by ${personOf(retry?.requested_by ?? '')}`,
      icon: 'busy',
      retry,
    },
    { at: completed_at, title: END[status] ?? 'Ended', icon: end },
  ];
  return moments
    .flatMap((moment) => (moment.at ? [{ ...moment, at: moment.at }] : []))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

const END: Partial<Record<Summary['status'], string>> = {
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled, all inserts ended',
};

export function TimeLine({ moments }: { moments: readonly Moment[] }) {
  return (
    <ol class={css.timeLine} aria-label="Events">
      {moments.map(({ at, title, icon, retry }, index) => {
        const before = moments[index - 1];
        return (
          <li key={title}>
            <Icon name={icon} />
            <span>
              {title}
              <span class="muted">
                <Time value={at} />
                {before && (
                  <>
                    {' '}
                    (+
                    <Duration from={before.at} to={at} />)
                  </>
                )}
              </span>
              {retry && <RetryState retry={retry} />}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/** The number of products that the retry queued again, and of those that it could not queue. */
function RetryState({ retry }: { retry: Retry }) {
  const { queued_count, failed_count, pending_count, results } = retry;
  const refused = results.filter(({ ok }) => !ok);
  return (
    <span class="muted">
      {formatNumber(queued_count)} queued
      {failed_count > 0 && `, ${formatNumber(failed_count)} not queued`}
      {pending_count > 0 && `, ${formatNumber(pending_count)} pending`}
      {refused.length > 0 && (
        <details>
          <summary>Reasons</summary>
          <Notes notes={refused.map(({ product_id, message }) => `${product_id}: ${message}`)} />
        </details>
      )}
    </span>
  );
}
