/** The import and its progress. */
import type { NotificationStatus } from '../../../src/contract/statuses.ts';
import type { ImportRetry, ImportSummary, OutcomeCounts } from '../../../src/contract/types.ts';
import { Badge, Icon, type IconName, type Mark, statusOf } from '../../ui/badge.tsx';
import { RunLink, runsUrl } from '../../ui/button.tsx';
import { countOf, Duration, Facts, formatNumber, Notes, personOf, Time } from '../../ui/format.tsx';
import { countsIn, ProgressBar, totalOf } from '../../ui/progress.tsx';
import css from './import.module.css';

interface HeaderProps {
  summary: ImportSummary;
  /** Null before the first answer. */
  counts: OutcomeCounts | null;
}

export function Header({ summary, counts }: HeaderProps) {
  const { id, status, file_name, comment, client_id, zip_file, completed_at, failure_reason, failure_code } =
    summary;
  const runs = runsUrl(id);
  return (
    <section class="card stack loose" aria-label="Import">
      <div class="cluster">
        <Badge {...statusOf(status)} />
        <strong>{file_name}</strong>
      </div>
      {failure_reason !== null && (
        <p class="notice bad" role="alert">
          <span>
            <strong>
              {failure_code === 'invalid_package' ? 'The package could not be read.' : 'The import failed.'}
            </strong>{' '}
            {failure_reason}
          </span>
        </p>
      )}
      <Progress summary={summary} counts={counts} />
      <Facts
        of={{
          Uploaded: <Time value={zip_file.uploaded_at} />,
          [completed_at === null ? 'Running for' : 'Duration']: (
            <Duration from={zip_file.uploaded_at} to={completed_at} />
          ),
          Size: `${Number(zip_file.size_mb) === 0 ? 'below 0.01' : zip_file.size_mb} MB`,
          Client: client_id,
          Comment: comment ?? <span class="muted">none</span>,
          'Summary mail': <Mail of={summary.notification} />,
          Runs: runs === null ? undefined : <RunLink href={runs}>All runs of this import</RunLink>,
        }}
      />
    </section>
  );
}

function Progress({ summary: { progress, refused }, counts }: HeaderProps) {
  const skipped = counts && formatNumber(counts.by_outcome.skipped);
  return (
    <div class="stack">
      <ProgressBar progress={progress} />
      <ul class="cluster number">
        {countsIn(progress).map(({ tone, label, count }) => (
          <li key={label}>
            <strong class={`tone ${tone}`}>{formatNumber(count)}</strong> {label}
          </li>
        ))}
        <li class="muted">of {countOf(totalOf(progress), 'product')}</li>
        <li class="muted">
          {countOf(refused, 'file')} refused, {skipped ?? '…'} skipped
        </li>
      </ul>
    </div>
  );
}

const MAIL: Record<NotificationStatus, Mark> = {
  pending: { label: 'Pending', tone: 'idle' },
  sending: { label: 'Sending', tone: 'busy' },
  sent: { label: 'Sent', tone: 'good' },
  error: { label: 'Not sent', tone: 'bad' },
};

function Mail({ of }: { of: ImportSummary['notification'] }) {
  if (of === null) return <span class="muted">no recipient</span>;
  const { email, status, error } = of;
  return (
    <>
      <Badge {...MAIL[status]} /> {email}
      {error !== null && <span class="tone bad"> {error}</span>}
    </>
  );
}

interface Moment {
  /** ISO 8601. */
  at: string;
  title: string;
  icon: IconName;
  /** The progress of a retry. */
  retry?: ImportRetry | undefined;
}

/** Events in order of time. Pure. */
export function momentsOf(summary: ImportSummary, retry: ImportRetry | undefined): Moment[] {
  const { zip_file, read_at, completed_at, cancellation, status } = summary;
  const end = status === 'completed' ? 'good' : 'bad';
  const moments: (Omit<Moment, 'at'> & { at: string | null | undefined })[] = [
    { at: zip_file.uploaded_at, title: 'Uploaded', icon: 'package' },
    { at: read_at, title: 'Package read', icon: 'good' },
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
    .filter((moment): moment is Moment => typeof moment.at === 'string')
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

const END: Partial<Record<ImportSummary['status'], string>> = {
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
            <div>
              {title}
              <div class="muted small">
                <Time value={at} />
                {before && (
                  <>
                    {' '}
                    (+
                    <Duration from={before.at} to={at} />)
                  </>
                )}
              </div>
              {retry && <RetryState retry={retry} />}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** The number of products that the retry queued again, and of those that it could not queue. */
function RetryState({ retry }: { retry: ImportRetry }) {
  const { queued_count, failed_count, pending_count, results } = retry;
  const refused = results.filter(({ ok }) => !ok);
  return (
    <div class="muted small">
      {formatNumber(queued_count)} queued
      {failed_count > 0 && `, ${formatNumber(failed_count)} not queued`}
      {pending_count > 0 && `, ${formatNumber(pending_count)} pending`}
      {refused.length > 0 && (
        <details>
          <summary>Reasons</summary>
          <Notes notes={refused.map(({ product_id, message }) => `${product_id}: ${message}`)} />
        </details>
      )}
    </div>
  );
}
