/** The result of a dry run, by outcome: refused files first. */
import { parsePatch } from 'diff';
import { useMemo, useState } from 'preact/hooks';
import { reasonText } from '../../../src/contract/reasons.ts';
import type { Verdict } from '../../../src/contract/statuses.ts';
import type { DryRunProduct, DryRunResult } from '../../../src/contract/types.ts';
import { Badge, VERDICT } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { countLines, DiffView } from '../../ui/diff-view.tsx';
import { countOf, formatNumber, Notes } from '../../ui/format.tsx';
import { stepLabel } from '../../ui/progress.tsx';
import css from './upload.module.css';

interface OutcomeGroup {
  outcome: Verdict;
  meaning: string;
  isFolded?: boolean;
}

const OUTCOMES: readonly OutcomeGroup[] = [
  { outcome: 'refused', meaning: 'has errors, would not be sent' },
  { outcome: 'changed', meaning: 'would be sent again' },
  { outcome: 'new', meaning: 'would be sent for the first time' },
  { outcome: 'skipped', meaning: 'would not be sent', isFolded: true },
  { outcome: 'unchanged', meaning: 'inserted before, would not be sent again', isFolded: true },
];

/** Products of a group that are drawn at first, and more with each click. */
const PRODUCTS_PAGE = 100;

export function DryRunReport({ result: { counts, products, warnings } }: { result: DryRunResult }) {
  return (
    <section class="stack loose" aria-label="Result of the dry run">
      <ul class={`columns ${css.counts}`} style={{ '--least': '7.5rem' }}>
        {OUTCOMES.map(({ outcome }) => (
          <li key={outcome} class="card">
            <span class="number">{formatNumber(counts[outcome])}</span>
            <Badge {...VERDICT[outcome]} tone={counts[outcome] === 0 ? 'idle' : VERDICT[outcome].tone} />
          </li>
        ))}
      </ul>
      {products.length === 0 && <p class="card">This package has no product files.</p>}
      {OUTCOMES.map((group) => (
        <Group
          key={group.outcome}
          group={group}
          products={products.filter(({ outcome }) => outcome === group.outcome)}
        />
      ))}
      {warnings.length > 0 && (
        <details class="card">
          <summary>
            <Badge tone="warn" label="Warnings" /> {countOf(warnings.length, 'file')} not read
          </summary>
          <Notes notes={warnings.map(reasonText)} />
        </details>
      )}
    </section>
  );
}

function Group({ group, products }: { group: OutcomeGroup; products: DryRunProduct[] }) {
  const { outcome, meaning, isFolded = false } = group;
  const [shown, setShown] = useState(PRODUCTS_PAGE);
  if (products.length === 0) return null;
  return (
    <details class="card" open={!isFolded}>
      <summary>
        <Badge {...VERDICT[outcome]} /> {countOf(products.length, 'product')}: {meaning}
      </summary>
      <ul>
        {products.slice(0, shown).map((product, index) => (
          <ProductItem key={index} product={product} />
        ))}
      </ul>
      {products.length > shown && (
        <Button kind="quiet" onClick={() => setShown(shown + PRODUCTS_PAGE)}>
          Show {formatNumber(Math.min(PRODUCTS_PAGE, products.length - shown))} more
        </Button>
      )}
    </details>
  );
}

function ProductItem({ product }: { product: DryRunProduct }) {
  const { xml_file, product_id, product_type, changed_sections, reasons, warnings, diff } = product;
  return (
    <li class={`stack ${css.product}`}>
      <p class="cluster">
        <strong class="mono">{product_id ?? xml_file}</strong>
        {product_type !== null && <span>{product_type}</span>}
        {product_id !== null && <span class="muted mono">{xml_file}</span>}
      </p>
      {reasons.length > 0 && <Notes notes={reasons.map(reasonText)} />}
      {changed_sections.length > 0 && (
        <ul class="cluster" aria-label="Changed sections">
          {changed_sections.map((section) => (
            <li key={section} class="badge idle">
              {stepLabel(section)}
            </li>
          ))}
        </ul>
      )}
      {diff && diff.patch !== '' && (
        <details>
          <summary>Changes</summary>
          <Patch patch={diff.patch} />
        </details>
      )}
      {diff?.left_out && <p class="muted">{diff.left_out}</p>}
      {warnings.length > 0 && (
        <details>
          <summary>
            <Badge tone="warn" label={countOf(warnings.length, 'warning')} />
          </summary>
          <Notes notes={warnings.map(reasonText)} />
        </details>
      )}
    </li>
  );
}

/** The unified diff of the API: one part for each section of the product, one line for each field. */
export function Patch({ patch }: { patch: string }) {
  const sections = useMemo(() => parsePatch(patch), [patch]);
  return (
    <div class="stack">
      {sections.map(({ newFileName = '', hunks }) => {
        const label = stepLabel(newFileName.slice(newFileName.lastIndexOf('/') + 1));
        return (
          <section key={newFileName}>
            <h3>
              {label} <span class="tone good">+{countLines(hunks, '+')}</span>{' '}
              <span class="tone bad">−{countLines(hunks, '-')}</span>
            </h3>
            <DiffView hunks={hunks} label={`Changed fields of ${label}`} />
          </section>
        );
      })}
    </div>
  );
}
