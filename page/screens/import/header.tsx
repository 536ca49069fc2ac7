/** What the import is, and how far. */
import { StatusBadge } from '../../ui/badge.tsx';
import { formatNumber } from '../../ui/format.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Duration, Time } from '../../ui/time.tsx';
import { segmentsOf, totalOf } from '../imports/progress.tsx';
import { Fact } from './fact.tsx';
import css from './import.module.css';
import { Mail } from './messages.tsx';
import type { Report } from './rows.ts';
import { RunLink } from './run-link.tsx';
import { runsUrl } from './runs.ts';
import type { Summary } from './use-import.ts';

export function Header({ summary, report }: { summary: Summary; report: Report | undefined }) {
  const { id, status, file_name, comment, client_id, zip_file, completed_at, failure_reason } = summary;
  const runs = runsUrl(id);
  return (
    <section class={`card ${css.importHead}`} aria-label="Import">
      <div class={css.importName}>
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
      <dl class="facts">
        <Fact name="Uploaded">
          <Time value={zip_file.uploaded_at} />
        </Fact>
        <Fact name={completed_at === null ? 'Running for' : 'Took'}>
          <Duration from={zip_file.uploaded_at} to={completed_at} />
        </Fact>
        <Fact name="Size">{Number(zip_file.size_mb) === 0 ? 'below 0.01' : zip_file.size_mb} MB</Fact>
        <Fact name="Client">{client_id}</Fact>
        <Fact name="Comment">{comment ?? <span class="muted">none</span>}</Fact>
        <Fact name="Summary mail">
          <Mail report={report} />
        </Fact>
        {runs !== null && (
          <Fact name="Runs">
            <RunLink href={runs}>All runs of this import</RunLink>
          </Fact>
        )}
      </dl>
    </section>
  );
}

function Progress({ summary: { progress }, report }: { summary: Summary; report: Report | undefined }) {
  const total = totalOf(progress);
  const counts = [
    ['good', 'inserted', progress.regulator_inserted],
    ['bad', 'failed', progress.regulator_insert_failed],
    ['busy', 'being inserted', progress.regulator_inserting],
    ['idle', 'not sent', progress.local],
  ] as const;
  const files = report?.zip_import;
  return (
    <div class={css.importBar}>
      <ProgressBar label="Products" segments={segmentsOf(progress)} total={total} />
      <ul class={`${css.legend} number`}>
        {counts.map(([tone, label, count]) => (
          <li key={label} class={css[tone]}>
            <strong>{formatNumber(count)}</strong> {label}
          </li>
        ))}
        <li class="muted">{`of ${formatNumber(total)} ${total === 1 ? 'product' : 'products'}`}</li>
        <li class="muted">{files ? saidOf(files) : '…'}</li>
      </ul>
    </div>
  );
}

function saidOf({ failed, skipped_count }: Report['zip_import']): string {
  const files = failed.length === 1 ? 'file' : 'files';
  return `${formatNumber(failed.length)} ${files} refused, ${formatNumber(skipped_count)} skipped`;
}
