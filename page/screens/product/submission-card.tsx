import { INSERT_STEPS, STEP_LABELS } from '../../../src/contract/steps.ts';
import type { ProductSubmission as Submission } from '../../../src/contract/types.ts';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import type { Comparison } from './compare-files.ts';
import { InsertRun } from './insert-run.tsx';
import css from './product.module.css';
import { RunAgain } from './run-again.tsx';

interface SubmissionCardProps {
  of: Submission;
  /** The one before it, where it is loaded. */
  before: Submission | undefined;
  onCompare(comparison: Comparison): void;
  onChanged(): void;
}

export function SubmissionCard({ of, before, onCompare, onChanged }: SubmissionCardProps) {
  const { id, zip_import_id, status, created_at, updated_at, failure_reason, warnings, case_id } = of;
  return (
    <li class={`card ${css.submission}`} data-submission={id}>
      <header>
        <h2>Submission {id}</h2>
        <StatusBadge status={status} />
        {warnings.length > 0 && (
          <Badge tone="warn">{warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}</Badge>
        )}
      </header>
      {failure_reason !== null && <p class={css.reason}>{failure_reason}</p>}
      <dl class="facts">
        <div>
          <dt>Import</dt>
          <dd>
            <a href={to(`imports/${zip_import_id.id}`)}>{zip_import_id.id}</a>
            {zip_import_id.comment !== null && <span class="muted"> {zip_import_id.comment}</span>}
          </dd>
        </div>
        <div>
          <dt>Read</dt>
          <dd>
            <Time value={created_at} />
          </dd>
        </div>
        <div>
          <dt>Changed</dt>
          <dd>
            <Time value={updated_at} />
          </dd>
        </div>
        <div>
          <dt>Case</dt>
          <dd>{case_id === null ? <span class="muted">none</span> : <code>{case_id}</code>}</dd>
        </div>
        <div>
          <dt>Last run</dt>
          <dd>
            <InsertRun of={of} />
          </dd>
        </div>
        <div>
          <dt>Steps done</dt>
          <dd>
            <Steps of={of} />
          </dd>
        </div>
      </dl>
      <Changes of={of} before={before} onCompare={onCompare} />
      {warnings.length > 0 && (
        <details>
          <summary>Warnings of the product file</summary>
          <ul class={css.warnings}>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
      <footer>
        <RunAgain of={of} onChanged={onChanged} />
        {can('getAuditEvents') && <a href={to(`audit?submission_id=${id}`)}>Who did what with it</a>}
      </footer>
    </li>
  );
}

function Steps({ of: { state } }: { of: Submission }) {
  const done = INSERT_STEPS.filter((section) => state[section]);
  const text = `${done.length} of ${INSERT_STEPS.length}`;
  const names = done.map((section) => STEP_LABELS[section]).join(', ') || 'none yet';
  return (
    <span class={css.steps} role="img" aria-label={`${text}: ${names}`} title={names}>
      {INSERT_STEPS.map((section) => (
        <span key={section} class={state[section] ? `${css.step} ${css.done}` : css.step} />
      ))}
      <span class="number">{text}</span>
    </span>
  );
}

function Changes({ of, before, onCompare }: Omit<SubmissionCardProps, 'onChanged'>) {
  const { changed_sections: changed } = of;
  if (changed === null) return <p class="muted">The first of this product that is to be seen.</p>;
  if (changed.length === 0) return <p class="muted">Nothing changed since the one before it.</p>;
  if (before === undefined || !can('getSubmissionXml'))
    return <p>Changed: {changed.map((section) => STEP_LABELS[section]).join(', ')}</p>;
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
