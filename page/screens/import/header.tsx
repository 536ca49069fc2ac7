/** The import and its progress. */
import { NOTIFICATION_LABELS, type NotificationStatus } from '../../../src/contract/statuses.ts';
import { Badge, StatusBadge, type Tone } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { countOf, formatNumber } from '../../ui/format.ts';
import { countsIn, ProgressBar, totalOf } from '../../ui/progress-bar.tsx';
import { RunLink, runsUrl } from '../../ui/temporal.tsx';
import { Duration, Time } from '../../ui/time.tsx';
import css from './import.module.css';
import type { Report } from './rows.ts';
import type { Summary } from './use-import.ts';

export function Header({ summary, report }: { summary: Summary; report: Report | undefined }) {
  const { id, status, file_name, comment, client_id, zip_file, completed_at, failure_reason } = summary;
  const runs = runsUrl(id);
  return (
    <section class="card stack loose" aria-label="Import">
      <div class="cluster">
        <StatusBadge status={status} />
        <strong>{file_name}</strong>
      </div>
      {failure_reason !== null && (
        <p class="notice bad" role="alert">
          <span>
            <strong>The package could not be read.</strong> {failure_reason}
          </span>
        </p>
      )}
      <Progress summary={summary} report={report} />
      <Facts
        of={{
          Uploaded: <Time value={zip_file.uploaded_at} />,
          [completed_at === null ? 'Running for' : 'Duration']: (
            <Duration from={zip_file.uploaded_at} to={completed_at} />
          ),
          Size: `${Number(zip_file.size_mb) === 0 ? 'below 0.01' : zip_file.size_mb} MB`,
          Client: client_id,
          Comment: comment ?? <span class="muted">none</span>,
          'Summary mail': <Mail report={report} />,
          Runs: runs === null ? undefined : <RunLink href={runs}>All runs of this import</RunLink>,
        }}
      />
    </section>
  );
}

function Progress({ summary: { progress }, report }: { summary: Summary; report: Report | undefined }) {
  const files = report?.zip_import;
  return (
    <div class="stack">
      <ProgressBar progress={progress} />
      <ul class={`${css.legend} number`}>
        {countsIn(progress).map(({ tone, label, count }) => (
          <li key={label}>
            <strong class={`tone ${tone}`}>{formatNumber(count)}</strong> {label}
          </li>
        ))}
        <li class="muted">of {countOf(totalOf(progress), 'product')}</li>
        <li class="muted">
          {files
            ? `${countOf(files.failed.length, 'file')} refused, ${formatNumber(files.skipped_count)} skipped`
            : '…'}
        </li>
      </ul>
    </div>
  );
}

const MAIL_TONES: Record<NotificationStatus, Tone> = {
  pending: 'idle',
  sending: 'busy',
  sent: 'good',
  error: 'bad',
};

function Mail({ report }: { report: Report | undefined }) {
  if (report === undefined) return <span class="muted">…</span>;
  if (report.notification === null) return <span class="muted">no recipient</span>;
  const { email, status, error } = report.notification;
  return (
    <>
      <Badge tone={MAIL_TONES[status]}>{NOTIFICATION_LABELS[status]}</Badge> {email}
      {error !== null && <span class="fault"> {error}</span>}
    </>
  );
}
