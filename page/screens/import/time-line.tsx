/** What happened to the import, and when. */
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Duration, Time } from '../../ui/time.tsx';
import css from './import.module.css';
import { RetryState } from './retry-state.tsx';
import type { Report } from './rows.ts';
import type { Retry, Summary } from './use-import.ts';

export interface Moment {
  /** ISO 8601. */
  at: string;
  title: string;
  icon: IconName;
  /** Of which more is to be said. */
  retry?: Retry;
}

/** In the order in which it happened. Pure. */
export function momentsOf(summary: Summary, report: Report | undefined, retry: Retry | undefined): Moment[] {
  const { zip_file, completed_at, cancellation, status } = summary;
  const read = (report?.submissions ?? []).map(({ created_at }) => created_at).sort();
  const [first, last] = [read[0], read.at(-1)];
  const moments: (Moment | null | undefined)[] = [
    { at: zip_file.uploaded_at, title: 'Uploaded', icon: 'package' },
    first ? { at: first, title: 'First product read', icon: 'good' } : null,
    last && last !== first && status !== 'extracting'
      ? { at: last, title: 'Last product read, queued', icon: 'good' }
      : null,
    cancellation && {
      at: cancellation.requested_at,
      title: `Cancelled by ${personOf(cancellation.requested_by)}`,
      icon: 'bad',
    },
    retry?.requested_at
      ? { at: retry.requested_at, title: `Run again by ${personOf(retry.requested_by)}`, icon: 'busy', retry }
      : null,
    completed_at === null
      ? null
      : { at: completed_at, title: END[status] ?? 'Ended', icon: status === 'completed' ? 'good' : 'bad' },
  ];
  return moments.filter((moment) => moment != null).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

const END: Partial<Record<Summary['status'], string>> = {
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled, all ended',
};

/** As the audit trail writes who it was: `client:operator`. */
const personOf = (actor: string | null): string => actor?.replace(/^client:/, '') ?? 'the service';

export function TimeLine({ moments }: { moments: readonly Moment[] }) {
  return (
    <ol class={css.timeLine} aria-label="Time line">
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
