/** Reasons and warnings, each with the place in the product file that it is about. */
import { useId, useMemo, useState } from 'preact/hooks';
import { isProductCheck, warnsWhen } from '../../../src/contract/product-checks.ts';
import css from './import.module.css';
import type { Reason } from './reasons.ts';
import type { Xml } from './use-xml.ts';
import { type ExcerptLine, excerptOf, lineOfPath } from './xml-lines.ts';

export function ReasonList({ reasons, xml }: { reasons: readonly Reason[]; xml: Xml }) {
  return (
    <ul class={css.reasons}>
      {reasons.map((reason) => (
        <li key={`${reason.path} ${reason.line} ${reason.text}`}>
          <p>{reason.text}</p>
          {(reason.path !== null || reason.line !== null) && (
            <p class={`muted ${css.place}`}>
              {reason.path !== null && <code>{reason.path}</code>}
              {reason.line !== null && <span>line {reason.line}</span>}
            </p>
          )}
          {reason.check && <Check of={reason.check} />}
          <Excerpt of={reason} xml={xml} />
        </li>
      ))}
    </ul>
  );
}

/** The name of a check, which tells what it is about. */
function Check({ of: { name, source } }: { of: NonNullable<Reason['check']> }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div class={css.checkName}>
      <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        <code>{name}</code>
      </button>
      <p id={id} hidden={!isOpen}>
        {isProductCheck(name) ? `Warns when ${warnsWhen(name)}` : 'A check of this service'}. Source: {source}
        .
      </p>
    </div>
  );
}

function Excerpt({ of, xml }: { of: Reason; xml: Xml }) {
  const text = xml.state === 'there' ? xml.text : null;
  const lines = useMemo(() => (text === null ? null : linesOf(text, of)), [text, of.line, of.path]);
  if (of.line === null && of.path === null) return null;
  if (xml.state === 'loading') return <p class="muted">Loading the product file …</p>;
  if (xml.state === 'failed') return <p class="muted">The product file is not there: {xml.error.message}</p>;
  if (lines === null) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than its room is scrolled by keyboard, too
    <section class={css.excerpt} tabIndex={0} aria-label="Lines of the product file">
      <pre>
        {lines.map(({ number, text: line, isMeant }) => (
          <span key={number} class={isMeant ? css.meant : undefined}>
            <span class={css.lineNumber}>{number}</span>
            {isMeant ? <mark>{line}</mark> : line}
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  );
}

/** Around the line that the reason names, else around the element. */
function linesOf(xml: string, { line, path }: Reason): ExcerptLine[] | null {
  const meant = line ?? (path === null ? null : lineOfPath(xml, path));
  return meant === null ? null : excerptOf(xml, meant);
}
