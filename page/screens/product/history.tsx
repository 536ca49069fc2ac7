/** The submissions of one product, and the comparison of two of them. */
import { useState } from 'preact/hooks';
import type { ProductSubmission } from '../../../src/contract/types.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { PagesEnd } from '../../ui/paged-table.tsx';
import { PolledContent } from '../../ui/states.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { Compare, type Comparison } from './compare.tsx';
import { SubmissionCard } from './submission-card.tsx';

export function ProductHistory({ productId }: { productId: string }) {
  const request = { params: { product_id: productId } };
  const pages = usePages('getProduct', request, { rowsOf: ({ submissions }) => submissions });
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const submissions = pages.list?.rows ?? [];
  const compare = (value: Comparison) => {
    setComparison(value);
    requestAnimationFrame(() => document.getElementById('compare-heading')?.focus());
  };
  return (
    <PolledContent polled={pages.newest}>
      {() => (
        <div class="stack loose">
          <Summary submissions={submissions} isWhole={!pages.hasMore} />
          {comparison && submissions.length > 1 && (
            <Compare submissions={submissions} value={comparison} onChange={setComparison} />
          )}
          <ol class="stack" aria-label="Submissions, newest first">
            {submissions.map((one, index) => (
              <SubmissionCard
                key={one.id}
                of={one}
                before={submissions[index + 1]}
                onCompare={compare}
                onChanged={pages.newest.refresh}
              />
            ))}
          </ol>
          {pages.hasMore && (
            <Button busy={pages.loading} onClick={pages.loadMore}>
              Show older submissions
            </Button>
          )}
          {pages.error !== null && <PagesEnd pages={pages} row="submission" />}
        </div>
      )}
    </PolledContent>
  );
}

function Summary({ submissions, isWhole }: { submissions: readonly ProductSubmission[]; isWhole: boolean }) {
  const [newest] = submissions;
  if (newest === undefined) return null;
  // Each submission has its own case; the newest may have none yet.
  const caseId = submissions.find(({ case_id }) => case_id !== null)?.case_id ?? null;
  return (
    <section class="card" aria-label="Product">
      <Facts
        of={{
          Status: <StatusBadge status={newest.status} />,
          'Latest case': caseId === null ? <span class="muted">none yet</span> : <code>{caseId}</code>,
          'Product type': newest.regulator_data.product_type,
          Submissions: `${submissions.length}${isWhole ? '' : ' or more'}`,
        }}
      />
    </section>
  );
}
