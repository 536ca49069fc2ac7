/** A product with its submissions, newest first; without an id the search for one. */
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { ProductSubmission } from '../../../src/contract/types.ts';
import { saveFile } from '../../api/client.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { ActionButton } from '../../ui/actions.tsx';
import { Badge, statusOf } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, submittedText } from '../../ui/field.tsx';
import { Facts } from '../../ui/format.tsx';
import { PagesEnd } from '../../ui/paged-table.tsx';
import { EmptyState, LoadedContent, Screen } from '../../ui/states.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { Compare, type Comparison } from './compare.tsx';
import { SubmissionCard } from './submission-card.tsx';

export default function ProductScreen() {
  const { id } = useRoute().params;
  return (
    <Screen title={id ? `Product ${id}` : 'Products'}>
      <ProductSearch key={id} productId={id ?? ''} />
      {id ? (
        <ProductHistory key={id} productId={id} />
      ) : (
        <EmptyState title="Enter a product ID">
          <p>Every import lists the IDs of its products.</p>
        </EmptyState>
      )}
    </Screen>
  );
}

/** The service checks the format of the ID. */
function ProductSearch({ productId }: { productId: string }) {
  const { route } = useLocation();
  const search = (event: SubmitEvent) => {
    const wanted = submittedText(event, 'id');
    if (wanted !== '') route(to(`products/${encodeURIComponent(wanted)}`));
  };
  return (
    <search>
      <form class="toolbar" onSubmit={search}>
        <Field label="Product ID">
          <input
            name="id"
            type="search"
            defaultValue={productId}
            placeholder="99962-26-00001"
            autocomplete="off"
            spellcheck={false}
            required
          />
        </Field>
        <Button type="submit">Show</Button>
      </form>
    </search>
  );
}

function ProductHistory({ productId }: { productId: string }) {
  const request = { params: { product_id: productId } };
  const pages = usePages('getProduct', request, {
    rowsOf: ({ submissions }) => submissions,
    isOlder: (one, than) => one.zip_import_id.id < than.zip_import_id.id,
  });
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const submissions = pages.list?.rows ?? [];
  const compare = (value: Comparison) => {
    setComparison(value);
    requestAnimationFrame(() => document.getElementById('compare-heading')?.focus());
  };
  return (
    <LoadedContent of={pages.newest}>
      {() => (
        <div class="stack loose">
          {can('getDossier') && (
            <div class="cluster">
              <ActionButton action={() => saveFile('getDossier', request, `dossier-${productId}.zip`)}>
                Download dossier
              </ActionButton>
            </div>
          )}
          <Summary submissions={submissions} isWhole={!pages.hasMore} />
          {comparison && submissions.length > 1 && (
            <Compare submissions={submissions} value={comparison} onChange={setComparison} />
          )}
          <ol class="stack" aria-label="Submissions, newest first">
            {submissions.map((one, index) => (
              <SubmissionCard key={one.id} of={one} before={submissions[index + 1]} onCompare={compare} />
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
    </LoadedContent>
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
          Status: <Badge {...statusOf(newest.status)} />,
          'Latest case': caseId === null ? <span class="muted">none yet</span> : <code>{caseId}</code>,
          'Product type': newest.regulator_data.product_type,
          Submissions: `${submissions.length}${isWhole ? '' : ' or more'}`,
        }}
      />
    </section>
  );
}
