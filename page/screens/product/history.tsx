/** The submissions of one product, and the comparison of two of them. */
import { useCallback, useMemo, useState } from 'preact/hooks';
import type { Product, ProductSubmission } from '../../../src/contract/types.ts';
import { call } from '../../api/client.ts';
import { usePolled } from '../../api/use-polled.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { PagesEnd, PolledContent } from '../../ui/states.tsx';
import { type Page, usePages } from '../../ui/use-pages.ts';
import { Compare, type Comparison } from './compare.tsx';
import css from './product.module.css';
import { SubmissionCard } from './submission-card.tsx';

export function ProductHistory({ productId }: { productId: string }) {
  const params = { product_id: productId };
  const polled = usePolled('getProduct', { params });
  const newest = useMemo(() => polled.data && pageOf(polled.data), [polled.data]);
  const load = useCallback(
    async (before: number) => pageOf(await call('getProduct', { params, query: { before } })),
    [productId],
  );
  const pages = usePages<ProductSubmission>({ of: productId, newest: { ...polled, data: newest }, load });
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const submissions = pages.list?.rows ?? [];
  const compare = (value: Comparison) => {
    setComparison(value);
    requestAnimationFrame(() => document.getElementById('compare-heading')?.focus());
  };
  return (
    <PolledContent polled={polled}>
      {() => (
        <>
          <Summary submissions={submissions} isWhole={!pages.hasMore} />
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
          {pages.hasMore && (
            <Button busy={pages.loading} onClick={pages.loadMore}>
              Show older submissions
            </Button>
          )}
          {pages.error !== null && <PagesEnd pages={pages} row="submission" />}
        </>
      )}
    </PolledContent>
  );
}

const pageOf = ({ submissions, next_before }: Product): Page<ProductSubmission> => ({
  rows: submissions,
  next_before,
});

function Summary({ submissions, isWhole }: { submissions: readonly ProductSubmission[]; isWhole: boolean }) {
  const [newest] = submissions;
  if (newest === undefined) return null;
  // Each submission has its own case; the newest may have none yet.
  const caseId = submissions.find(({ case_id }) => case_id !== null)?.case_id ?? null;
  return (
    <section class={`card ${css.summary}`} aria-label="Product">
      <Facts>
        <Fact name="Status">
          <StatusBadge status={newest.status} />
        </Fact>
        <Fact name="Latest case">
          {caseId === null ? <span class="muted">none yet</span> : <code>{caseId}</code>}
        </Fact>
        <Fact name="Product type">{newest.regulator_data.product_type}</Fact>
        <Fact name="Submissions">
          <span class="number">
            {submissions.length}
            {!isWhole && ' or more'}
          </span>
        </Fact>
      </Facts>
    </section>
  );
}
