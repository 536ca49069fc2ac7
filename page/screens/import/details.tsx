/** Everything about one product of an import: its reasons with the place in its file, its warnings, its steps. */
import { useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Time } from '../../ui/time.tsx';
import { Fact } from './fact.tsx';
import css from './import.module.css';
import { ReasonList } from './reason-list.tsx';
import { reasonOf, reasonsOfFile, reasonsOfSubmission } from './reasons.ts';
import { Refusal } from './refusal.tsx';
import { RetryButton } from './retry-button.tsx';
import { OUTCOMES, type ProductRow, type Submission } from './rows.ts';
import { RunLink } from './run-link.tsx';
import { runUrl } from './runs.ts';
import { StepList } from './steps.tsx';
import { useXml, type Xml } from './use-xml.ts';

interface DetailsProps {
  row: ProductRow;
  before: ProductRow | undefined;
  after: ProductRow | undefined;
  /** Undefined closes it. */
  onOpen(row: ProductRow | undefined): void;
  onRetried(error: unknown): void;
}

export function Details({ row, before, after, onOpen, onRetried }: DetailsProps) {
  const { outcome, name, submission, reason, warnings } = row;
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const reasons =
    reason === null ? [] : outcome === 'refused' ? reasonsOfFile(reason) : reasonsOfSubmission(reason);
  const xml = useXml(submission?.id ?? null);
  const { label, tone } = OUTCOMES[outcome];
  const retried = (error: unknown) => {
    setRefusal(error === null ? null : asApiError(error));
    onRetried(null);
  };
  return (
    <Dialog
      title={name}
      onClose={() => onOpen(undefined)}
      actions={
        <>
          <Button disabled={!before} onClick={() => onOpen(before)}>
            ← Before
          </Button>
          <Button disabled={!after} onClick={() => onOpen(after)}>
            Next →
          </Button>
          {submission && can('getProduct') && (
            <ButtonLink href={to(`products/${submission.product_id}`)}>History</ButtonLink>
          )}
          {submission && <RetryButton of={submission} onRetried={retried} />}
        </>
      }
    >
      <div class={css.productDetails}>
        <Refusal error={refusal} onClose={() => setRefusal(null)} />
        <div class={css.importName}>
          <Badge tone={tone}>{label}</Badge>
          {submission && <span>{submission.regulator_data.product_type}</span>}
        </div>
        {reasons.length > 0 && (
          <section aria-label="Reasons">
            <h3>Why</h3>
            <ReasonList reasons={reasons} xml={xml} />
            {outcome === 'refused' && (
              <p class="muted">
                The file became no submission. The repair pack of the import has it, to be mended and sent
                again.
              </p>
            )}
          </section>
        )}
        {submission && <SubmissionFacts of={submission} />}
        {submission && <StepList of={submission} />}
        <Warnings warnings={warnings} xml={xml} />
      </div>
    </Dialog>
  );
}

function Warnings({ warnings, xml }: { warnings: readonly string[]; xml: Xml }) {
  const [isOpen, setOpen] = useState(false);
  if (warnings.length === 0) return null;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Badge tone="warn">
          {formatNumber(warnings.length)} {warnings.length === 1 ? 'warning' : 'warnings'}
        </Badge>{' '}
        that did not keep it from being imported
      </summary>
      {isOpen && <ReasonList reasons={warnings.map(reasonOf)} xml={xml} />}
    </details>
  );
}

function SubmissionFacts({ of }: { of: Submission }) {
  const run = runUrl(of);
  return (
    <dl class="facts">
      <Fact name="Case">{of.case_id ?? <span class="muted">none yet</span>}</Fact>
      <Fact name="Submission">{of.id}</Fact>
      <Fact name="Read">
        <Time value={of.created_at} />
      </Fact>
      <Fact name="Changed">
        <Time value={of.updated_at} />
      </Fact>
      {run !== null && (
        <Fact name="Run">
          <RunLink href={run}>Open the run</RunLink>
        </Fact>
      )}
    </dl>
  );
}
