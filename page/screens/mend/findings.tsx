/** Findings of a dry run in the text, and the reasons of a failed insert. Each leads to its line. */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Verdict } from '../../../src/contract/statuses.ts';
import type { Reason } from '../../../src/contract/types.ts';
import { Badge, VERDICT } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CommissionCode } from '../../ui/format.tsx';
import { lineOf } from '../../ui/product-file.ts';
import { ErrorState } from '../../ui/states.tsx';
import type { Check } from './use-text.ts';

type Area = RefObject<HTMLTextAreaElement | null>;

const MEANINGS: Readonly<Record<Verdict, string>> = {
  refused: 'The file has errors.',
  new: 'The product can be sent.',
  changed: 'The product can be sent.',
  unchanged: 'The product is inserted already, with this content.',
  skipped: 'The product would not be sent.',
};

interface FindingsProps {
  check: Check;
  /** Checks the same text again. */
  onRetry(): void;
  failures: readonly Reason[];
  area: Area;
}

export function Findings({ check: { product, isCurrent, error }, onRetry, failures, area }: FindingsProps) {
  return (
    <section class="card stack" aria-labelledby="findings-heading">
      <h2 id="findings-heading">Findings</h2>
      <div class="stack" aria-live="polite" aria-busy={!isCurrent}>
        {error !== null && (
          <ErrorState error={error} heading="The file could not be checked." onRetry={onRetry} />
        )}
        {product === null ? (
          error === null && <p class="muted">Checking …</p>
        ) : (
          <>
            <p class="cluster">
              <Badge {...VERDICT[product.outcome]} />
              <span>{MEANINGS[product.outcome]}</span>
              {!isCurrent && <span class="muted">Checking …</span>}
            </p>
            <List reasons={product.reasons} area={area} />
            {product.warnings.length > 0 && <h3>Warnings</h3>}
            <List reasons={product.warnings} area={area} />
          </>
        )}
      </div>
      {failures.length > 0 && <h3>Why the insert failed</h3>}
      <List reasons={failures} area={area} />
    </section>
  );
}

function List({ reasons, area }: { reasons: readonly Reason[]; area: Area }): ComponentChildren {
  if (reasons.length === 0) return null;
  return (
    <ul class="stack">
      {reasons.map((reason, index) => (
        <li key={index}>
          <p>{reason.text}</p>
          {reason.commission_code && <CommissionCode code={reason.commission_code} />}
          {(reason.line !== null || reason.path !== null) && (
            <Button onClick={() => area.current && show(area.current, reason)}>
              {reason.line === null ? reason.path : `Line ${reason.line}`}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Lines above the meant one that stay visible. */
const ABOVE = 4;

/** Opens the text at its first finding, unless a person has begun to edit or to use another control. */
export function useFirstFinding(area: Area, { product }: Check, failures: readonly Reason[]): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current || product === null || area.current === null) return;
    isDone.current = true;
    const first = [...failures, ...product.reasons].find(({ line, path }) => (line ?? path) !== null);
    if (first && isFocusFree()) show(area.current, first);
  }, [product]);
}

/**
 * An opened screen has the focus as a whole. Keys that were meant for another control would replace the selected line.
 */
function isFocusFree(): boolean {
  const { activeElement: focused } = document;
  return focused === null || focused === document.body || focused.id === 'main';
}

/** Selects the line of a finding, and scrolls to it. */
function show(area: HTMLTextAreaElement, reason: Reason): void {
  const meant = lineOf(area.value, reason);
  area.focus();
  if (meant === null) return;
  let start = 0;
  for (let number = 1; number < meant; number += 1) start = area.value.indexOf('\n', start) + 1;
  const end = area.value.indexOf('\n', start);
  area.setSelectionRange(start, end < 0 ? area.value.length : end);
  area.scrollTop = (meant - 1 - ABOVE) * Number.parseFloat(getComputedStyle(area).lineHeight);
  area.scrollLeft = 0;
}
