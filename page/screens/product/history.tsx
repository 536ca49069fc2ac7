/** Everything that was submitted of one product, its case, and what changed. */
import { useState } from 'preact/hooks';
import type { ProductSubmission as Product } from '../../../src/contract/types.ts';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { usePolled } from '../../api/use-polled.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorState, PolledContent } from '../../ui/states.tsx';
import { Compare } from './compare.tsx';
import type { Comparison } from './compare-files.ts';
import css from './product.module.css';
import { SubmissionCard } from './submission-card.tsx';

type Page = { submissions: Product[]; next_before: number | null };

export function ProductHistory({ productId }: { productId: string }) {
  const params = { product_id: productId };
  const polled = usePolled('getProduct', { params });
  const [older, setOlder] = useState<Page | null>(null);
  const [failure, setFailure] = useState<ApiError | null>(null);
  const [isLoading, setIsLoading] = useState(false);
  const [comparison, setComparison] = useState<Comparison | null>(null);

  async function loadOlder(before: number): Promise<void> {
    setIsLoading(true);
    setFailure(null);
    try {
      const page = await call('getProduct', { params, query: { before } });
      setOlder({ ...page, submissions: [...(older?.submissions ?? []), ...page.submissions] });
    } catch (error) {
      setFailure(asApiError(error));
    } finally {
      setIsLoading(false);
    }
  }

  const compare = (value: Comparison) => {
    setComparison(value);
    requestAnimationFrame(() => document.getElementById('compare-heading')?.focus());
  };

  return (
    <PolledContent polled={polled}>
      {(first) => {
        const submissions = merged(first.submissions, older?.submissions ?? []);
        const before = older === null ? first.next_before : older.next_before;
        return (
          <>
            <Facts submissions={submissions} isWhole={before === null} />
            {comparison && submissions.length > 1 && (
              <Compare submissions={submissions} value={comparison} onChange={setComparison} />
            )}
            <ol class={css.submissions} aria-label="Submissions, newest first">
              {submissions.map((one, index) => (
                <SubmissionCard
                  key={one.id}
                  of={one}
                  before={submissions[index + 1]}
                  onCompare={compare}
                  onChanged={polled.refresh}
                />
              ))}
            </ol>
            {failure && <ErrorState error={failure} />}
            {before !== null && (
              <Button busy={isLoading} onClick={() => void loadOlder(before)}>
                Show older ones
              </Button>
            )}
          </>
        );
      }}
    </PolledContent>
  );
}

/** New submissions push others from the first page to those behind it. */
function merged(first: Product[], older: Product[]): Product[] {
  const seen = new Set(first.map(({ id }) => id));
  return [...first, ...older.filter(({ id }) => !seen.has(id))];
}

function Facts({ submissions, isWhole }: { submissions: Product[]; isWhole: boolean }) {
  const [newest] = submissions;
  if (newest === undefined) return null;
  // Each submission has a case of its own; the newest may not have got one yet.
  const caseId = submissions.find(({ case_id }) => case_id !== null)?.case_id ?? null;
  return (
    <dl class={`card facts ${css.summary}`}>
      <div>
        <dt>Now</dt>
        <dd>
          <StatusBadge status={newest.status} />
        </dd>
      </div>
      <div>
        <dt>Latest case at the regulator</dt>
        <dd>{caseId === null ? <span class="muted">none yet</span> : <code>{caseId}</code>}</dd>
      </div>
      <div>
        <dt>Product type</dt>
        <dd>{newest.regulator_data.product_type}</dd>
      </div>
      <div>
        <dt>Submissions</dt>
        <dd class="number">
          {submissions.length}
          {!isWhole && ' or more'}
        </dd>
      </div>
    </dl>
  );
}
