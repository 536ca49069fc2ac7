/** One product of an import: its reasons with their place in the file, its warnings, its steps. */
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import type { ImportOutcome, Reason, Submission } from '../../../src/contract/types.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { RetryButton, RetryError } from '../../ui/actions.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink, RunLink, runUrl } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { countOf, Facts, searchOf, Time } from '../../ui/format.tsx';
import { StepList } from '../../ui/progress.tsx';
import css from './import.module.css';
import { keyOf, MARKS, nameOf } from './outcomes.tsx';
import { ReasonList, useXml, type Xml } from './reason-list.tsx';

interface DetailsProps {
  row: ImportOutcome;
  before: ImportOutcome | undefined;
  after: ImportOutcome | undefined;
  /** Undefined closes it. */
  onOpen(row: ImportOutcome | undefined): void;
}

/** One dialog for all rows: the focus stays on the button that leads to the next one. */
export function Details({ row, before, after, onOpen }: DetailsProps) {
  const { submission } = row;
  const key = keyOf(row);
  return (
    <Dialog
      title={nameOf(row)}
      onClose={() => onOpen(undefined)}
      actions={
        <>
          <Button disabled={!before} onClick={() => onOpen(before)}>
            ← Previous
          </Button>
          <Button disabled={!after} onClick={() => onOpen(after)}>
            Next →
          </Button>
          <MendLink row={row} />
          {submission && can('getProduct') && (
            <ButtonLink href={to(`products/${submission.product_id}`)}>History</ButtonLink>
          )}
          {submission && <RetryButton key={key} of={submission} />}
        </>
      }
    >
      {submission && <RetryError of={submission.id} />}
      <Contents key={key} of={row} />
    </Dialog>
  );
}

function Contents({ of: { outcome, submission, reasons } }: { of: ImportOutcome }) {
  const xml = useXml(submission?.id ?? null);
  return (
    <div class={`stack loose ${css.productDetails}`}>
      <div class="cluster">
        <Badge {...MARKS[outcome]} />
        {submission && <span>{submission.regulator_data.product_type}</span>}
      </div>
      {reasons.length > 0 && (
        <section aria-label="Reasons">
          <h3>Reasons</h3>
          <ReasonList reasons={reasons} xml={xml} />
          {outcome === 'refused' && (
            <p class="muted">
              No submission was created from this file.{' '}
              {mayMend() ? 'Correct it here, or download' : 'Download'} it in the repair pack, correct it and
              upload it again.
            </p>
          )}
        </section>
      )}
      {submission && <SubmissionFacts of={submission} />}
      {submission && <StepList of={submission} />}
      {submission && <Warnings warnings={submission.warnings} xml={xml} />}
    </div>
  );
}

const mayMend = () => can('getFailedFile') && can('postPackageImport');

function MendLink({ row: { outcome, xml_file, submission } }: { row: ImportOutcome }) {
  const { id } = useRoute().params;
  const hasFailed = outcome === 'refused' || (submission !== null && submission.actions.length > 0);
  if (!hasFailed || !mayMend()) return null;
  const file = encodeURIComponent(xml_file);
  const why = submission === null ? '' : searchOf({ submission: String(submission.id) });
  return <ButtonLink href={to(`imports/${id}/mend/${file}${why}`)}>Correct the file</ButtonLink>;
}

function Warnings({ warnings, xml }: { warnings: readonly Reason[]; xml: Xml }) {
  const [isOpen, setOpen] = useState(false);
  if (warnings.length === 0) return null;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Badge tone="warn" label={countOf(warnings.length, 'warning')} /> Warnings do not stop the import.
      </summary>
      {isOpen && <ReasonList reasons={warnings} xml={xml} />}
    </details>
  );
}

function SubmissionFacts({ of }: { of: Submission }) {
  const run = runUrl(of);
  return (
    <Facts
      of={{
        Case: of.case_id ?? <span class="muted">none yet</span>,
        Submission: of.id,
        Created: <Time value={of.created_at} />,
        Updated: <Time value={of.updated_at} />,
        Run: run === null ? undefined : <RunLink href={run}>Open the run</RunLink>,
      }}
    />
  );
}
