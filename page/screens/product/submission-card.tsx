import { reasonText } from '../../../src/contract/reasons.ts';
import { INSERT_STEPS, STEP_LABELS } from '../../../src/contract/steps.ts';
import type { ProductSubmission as Submission } from '../../../src/contract/types.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { RetryButton, RetryError } from '../../ui/actions.tsx';
import { Badge, statusOf } from '../../ui/badge.tsx';
import { Button, RunLink, runUrl } from '../../ui/button.tsx';
import { countOf, Facts, Notes, Time } from '../../ui/format.tsx';
import { StepStrip } from '../../ui/progress.tsx';
import type { Comparison } from './compare.tsx';

interface SubmissionCardProps {
  of: Submission;
  /** The previous submission, where it is loaded. */
  before: Submission | undefined;
  onCompare(comparison: Comparison): void;
}

export function SubmissionCard({ of, before, onCompare }: SubmissionCardProps) {
  const { id, status, state, created_at, updated_at, failure_reason, warnings, case_id } = of;
  const done = INSERT_STEPS.filter((step) => state[step]).length;
  return (
    <li class="card stack" data-submission={id}>
      <header class="cluster">
        <h2>Submission {id}</h2>
        <Badge {...statusOf(status)} />
        {warnings.length > 0 && <Badge tone="warn" label={countOf(warnings.length, 'warning')} />}
      </header>
      {failure_reason !== null && <p class="tone bad">{failure_reason}</p>}
      <Facts
        of={{
          Import: <ImportLink of={of} />,
          Created: <Time value={created_at} />,
          Updated: <Time value={updated_at} />,
          Case: case_id === null ? <span class="muted">none</span> : <code>{case_id}</code>,
          'Last run': <LastRun of={of} />,
          [`Steps: ${done} of ${INSERT_STEPS.length} done`]: <StepStrip of={of} />,
        }}
      />
      <Changes of={of} before={before} onCompare={onCompare} />
      {warnings.length > 0 && (
        <details>
          <summary>Warnings about the product file</summary>
          <Notes notes={warnings.map(reasonText)} />
        </details>
      )}
      <RetryError of={id} />
      <footer class="cluster">
        <RetryButton of={of} />
        {can('getAuditEvents') && <a href={to(`audit?submission_id=${id}`)}>Audit events</a>}
      </footer>
    </li>
  );
}

function ImportLink({ of: { zip_import_id: one } }: { of: Submission }) {
  return (
    <>
      <a href={to(`imports/${one.id}`)}>{one.id}</a> <span class="muted">{one.comment}</span>
    </>
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

function Changes({ of, before, onCompare }: SubmissionCardProps) {
  const { changed_sections: changed } = of;
  if (changed === null) return <p class="muted">First submission of this product.</p>;
  if (changed.length === 0) return <p class="muted">No changes since the previous submission.</p>;
  if (before === undefined || !can('getSubmissionXml'))
    return <p>Changed: {changed.map((step) => STEP_LABELS[step]).join(', ')}</p>;
  const pair = { newer: of.id, older: before.id };
  return (
    <div class="cluster">
      <span>Changed since submission {before.id}:</span>
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
