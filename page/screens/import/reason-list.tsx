/** Reasons and warnings, each with its lines of the product file. */
import { useMemo } from 'preact/hooks';
import { isProductCheck, sourceOf, warnsWhen } from '../../../src/contract/product-checks.ts';
import type { Reason } from '../../../src/contract/types.ts';
import { type Loaded, useLoaded } from '../../api/use-data.ts';
import { can } from '../../auth/login.ts';
import { CommissionCode } from '../../ui/format.tsx';
import { type ExcerptLine, excerptOf, lineOf, loadXml } from '../../ui/product-file.ts';
import css from './import.module.css';

/** Null where no file may be read. */
export type Xml = Loaded<string> | null;

/** @param submissionId null for a refused file, which has no submission */
export function useXml(submissionId: number | null): Xml {
  const id = can('getSubmissionXml') ? submissionId : null;
  const xml = useLoaded(
    async (signal) => (id === null ? '' : loadXml('getSubmissionXml', { id }, signal)),
    [id],
  );
  return id === null ? null : xml;
}

export function ReasonList({ reasons, xml }: { reasons: readonly Reason[]; xml: Xml }) {
  return (
    <ul class={`stack loose ${css.reasons}`}>
      {reasons.map((reason) => (
        <li key={`${reason.path} ${reason.line} ${reason.text}`}>
          <p>{reason.text}</p>
          {(reason.path !== null || reason.line !== null) && (
            <p class={`muted ${css.place}`}>
              {reason.path !== null && <code>{reason.path}</code>}
              {reason.line !== null && <span>line {reason.line}</span>}
            </p>
          )}
          {reason.check !== null && <Check name={reason.check} />}
          {reason.commission_code && <CommissionCode code={reason.commission_code} />}
          <Excerpt of={reason} xml={xml} />
        </li>
      ))}
    </ul>
  );
}

/** The name of a check, which opens its rule. */
function Check({ name }: { name: string }) {
  return (
    <details>
      <summary class="unfolds">
        <code>{name}</code>
      </summary>
      <p>
        {isProductCheck(name)
          ? `Warns when ${warnsWhen(name)}. Source: ${sourceOf(name)}.`
          : 'The page does not know this check. Reload the page.'}
      </p>
    </details>
  );
}

function Excerpt({ of, xml }: { of: Reason; xml: Xml }) {
  const text = xml?.data;
  const lines = useMemo(() => (text === undefined ? null : linesOf(text, of)), [text, of.line, of.path]);
  if (of.line === null && of.path === null) return null;
  if (xml?.error) return <p class="muted">The product file could not be loaded: {xml.error.message}</p>;
  if (xml !== null && text === undefined) return <p class="muted">Loading the product file …</p>;
  if (lines === null) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section class={`box ${css.excerpt}`} tabIndex={0} aria-label="Lines of the product file">
      <pre>
        {lines.map(({ number, text: line, isMeant }) => (
          <span key={number} class={isMeant ? `bad ${css.meant}` : undefined}>
            <span class={css.lineNumber}>{number}</span>
            {isMeant ? <mark>{line}</mark> : line}
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  );
}

function linesOf(xml: string, reason: Reason): ExcerptLine[] | null {
  const meant = lineOf(xml, reason);
  return meant === null ? null : excerptOf(xml, meant);
}
