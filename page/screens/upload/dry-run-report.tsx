/** What an import would do: refused files first, then what changes, what is new, and what would not be sent. */
import { useState } from 'preact/hooks';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import type { Tone } from '../../ui/status.ts';
import { stepLabel } from '../../ui/steps.ts';
import { DiffView } from './diff-view.tsx';
import type { DryRun } from './send-package.ts';
import css from './upload.module.css';

type Product = DryRun['products'][number];
type Outcome = Product['outcome'];

const OUTCOMES: readonly { outcome: Outcome; label: string; tone: Tone; meaning: string; folded?: true }[] = [
  { outcome: 'refused', label: 'Refused', tone: 'bad', meaning: 'cannot be read: left out' },
  {
    outcome: 'changed',
    label: 'Changed',
    tone: 'busy',
    meaning: 'not as sent last: would be sent again',
  },
  { outcome: 'new', label: 'New', tone: 'good', meaning: 'would be sent for the first time' },
  { outcome: 'skipped', label: 'Skipped', tone: 'warn', meaning: 'would be left out', folded: true },
  {
    outcome: 'unchanged',
    label: 'Unchanged',
    tone: 'idle',
    meaning: 'with the regulator already, as sent',
    folded: true,
  },
];

/** Products drawn of a group at first, and more with each press. */
const PAGE = 100;

export function DryRunReport({ result: { counts, products, warnings } }: { result: DryRun }) {
  return (
    <section class={css.dryRun} aria-label="Result of the dry run">
      <ul class={css.verdicts}>
        {OUTCOMES.map(({ outcome, label, tone }) => (
          <li key={outcome} class="card">
            <span class={`${css.verdictCount} number`}>{formatNumber(counts[outcome])}</span>
            <Badge tone={counts[outcome] === 0 ? 'idle' : tone}>{label}</Badge>
          </li>
        ))}
      </ul>
      {products.length === 0 && <p class="card">There is no product file in this package.</p>}
      {OUTCOMES.map((group) => (
        <Group
          key={group.outcome}
          {...group}
          products={products.filter(({ outcome }) => outcome === group.outcome)}
        />
      ))}
      {warnings.length > 0 && (
        <details class={`card ${css.group}`}>
          <summary>
            <Badge tone="warn">Warnings</Badge> {formatNumber(warnings.length)} about attachment and submitter
            files
          </summary>
          <Notes notes={warnings} />
        </details>
      )}
    </section>
  );
}

function Group({
  label,
  tone,
  meaning,
  folded,
  products,
}: (typeof OUTCOMES)[number] & { products: Product[] }) {
  const [shown, setShown] = useState(PAGE);
  if (products.length === 0) return null;
  return (
    <details class={`card ${css.group}`} open={!folded}>
      <summary>
        <Badge tone={tone}>{label}</Badge> {formatNumber(products.length)} {meaning}
      </summary>
      <ul>
        {products.slice(0, shown).map((product, index) => (
          <ProductItem key={index} product={product} />
        ))}
      </ul>
      {products.length > shown && (
        <Button kind="quiet" onClick={() => setShown(shown + PAGE)}>
          Show {formatNumber(Math.min(PAGE, products.length - shown))} more
        </Button>
      )}
    </details>
  );
}

function ProductItem({ product }: { product: Product }) {
  const { xml_file, product_id, product_type, changed_sections, reason, warnings, diff } = product;
  return (
    <li class={css.checkedProduct}>
      <p class={css.productHead}>
        <strong class="mono">{product_id ?? xml_file}</strong>
        {product_type !== null && <span>{product_type}</span>}
        {product_id !== null && <span class="muted mono">{xml_file}</span>}
      </p>
      {reason !== null && <p>{reason}</p>}
      {changed_sections.length > 0 && (
        <ul class={css.sections} aria-label="Changed sections">
          {changed_sections.map((section) => (
            <li key={section} class="badge idle">
              {stepLabel(section)}
            </li>
          ))}
        </ul>
      )}
      {diff && diff.patch !== '' && (
        <details class={css.fold}>
          <summary>What changes</summary>
          <DiffView patch={diff.patch} />
        </details>
      )}
      {diff?.left_out && <p class="muted">{diff.left_out}</p>}
      {warnings.length > 0 && (
        <details class={css.fold}>
          <summary>
            <Badge tone="warn">
              {formatNumber(warnings.length)} {warnings.length === 1 ? 'warning' : 'warnings'}
            </Badge>
          </summary>
          <Notes notes={warnings} />
        </details>
      )}
    </li>
  );
}

function Notes({ notes }: { notes: readonly string[] }) {
  return (
    <ul class={css.notes}>
      {notes.map((note, index) => (
        <li key={index}>{note}</li>
      ))}
    </ul>
  );
}
