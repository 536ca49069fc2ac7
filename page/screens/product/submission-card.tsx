import { useState } from 'preact/hooks';
import { INSERT_STEPS, STEP_LABELS } from '../../../src/contract/steps.ts';
import type { ProductSubmission as Submission } from '../../../src/contract/types.ts';
import type { ApiError } from '../../api/api-error.ts';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { countOf } from '../../ui/format.ts';
import { RetryButton } from '../../ui/retry-button.tsx';
import { ActionError } from '../../ui/states.tsx';
import { StepStrip } from '../../ui/steps.tsx';
import { RunLink, runUrl } from '../../ui/temporal.tsx';
import { Time } from '../../ui/time.tsx';
import type { Comparison } from './compare.tsx';
import css from './product.module.css';

interface SubmissionCardProps {
  of: Submission;
  /** The previous submission, where it is loaded. */
  before: Submission | undefined;
  onCompare(comparison: Comparison): void;
  onChanged(): void;
}

export function SubmissionCard({ of, before, onCompare, onChanged }: SubmissionCardProps) {
  const { id, zip_import_id, status, state, created_at, updated_at, failure_reason, warnings, case_id } = of;
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const retried = (error: ApiError | null) => {
    setRefusal(error);
    if (error === null) onChanged();
  };
  const done = INSERT_STEPS.filter((step) => state[step]).length;
  return (
    <li class={`card ${css.submission}`} data-submission={id}>
      <header>
        <h2>Submission {id}</h2>
        <StatusBadge status={status} />
        {warnings.length > 0 && <Badge tone="warn">{countOf(warnings.length, 'warning')}</Badge>}
      </header>
      {failure_reason !== null && <p class="fault">{failure_reason}</p>}
      <Facts>
        <Fact name="Import">
          <a href={to(`imports/${zip_import_id.id}`)}>{zip_import_id.id}</a>
          {zip_import_id.comment !== null && <span class="muted"> {zip_import_id.comment}</span>}
        </Fact>
        <Fact name="Read">
          <Time value={created_at} />
        </Fact>
        <Fact name="Changed">
          <Time value={updated_at} />
        </Fact>
        <Fact name="Case">{case_id === null ? <span class="muted">none</span> : <code>{case_id}</code>}</Fact>
        <Fact name="Last run">
          <LastRun of={of} />
        </Fact>
        <Fact name={`Steps: ${done} of ${INSERT_STEPS.length} done`}>
          <StepStrip of={of} />
        </Fact>
      </Facts>
      <Changes of={of} before={before} onCompare={onCompare} />
      {warnings.length > 0 && (
        <details>
          <summary>Warnings about the product file</summary>
          <ul class="bullets">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
      <ActionError error={refusal} onClose={() => setRefusal(null)} />
      <footer>
        <RetryButton of={of} onRetried={retried} />
        {can('getAuditEvents') && <a href={to(`audit?submission_id=${id}`)}>Audit events</a>}
      </footer>
    </li>
  );
}

function LastRun({ of }: { of: Submission }) {
  if (of.job_id === null) return <span class="muted">none</span>;
  const url = runUrl(of);
  if (url === null) return <code>{of.job_id}</code>;
  return (
    <RunLink href={url}>
      <code>{of.job_id.slice(0, 8)}</code>
    </RunLink>
  );
}

function Changes({ of, before, onCompare }: Omit<SubmissionCardProps, 'onChanged'>) {
  const { changed_sections: changed } = of;
  if (changed === null) return <p class="muted">First submission of this product.</p>;
  if (changed.length === 0) return <p class="muted">No changes since the previous submission.</p>;
  if (before === undefined || !can('getSubmissionXml'))
    return <p>Changed: {changed.map((step) => STEP_LABELS[step]).join(', ')}</p>;
  const pair = { newer: of.id, older: before.id };
  return (
    <div class={css.changes}>
      <span>Changed since {before.id}:</span>
      {changed.map((section) => (
        <Button key={section} onClick={() => onCompare({ ...pair, section })}>
          {STEP_LABELS[section]}
        </Button>
      ))}
      <Button kind="quiet" onClick={() => onCompare({ ...pair, section: null })}>
        Whole file
      </Button>
    </div>
  );
}
