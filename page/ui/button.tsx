import type { ComponentChildren, JSX } from 'preact';
import type { Submission } from '../../src/contract/types.ts';
import { can } from '../auth/login.ts';
import { settings } from '../settings.ts';

type Kind = 'default' | 'primary' | 'danger' | 'quiet';

export interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'icon'> {
  kind?: Kind;
  /** Its action is running: a click does nothing. The button keeps the focus, which a disabled one loses. */
  busy?: boolean;
  children: ComponentChildren;
}

export function Button({ kind = 'default', busy = false, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${kind}`}
      aria-busy={busy}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {children}
    </button>
  );
}

/** A link with the look of a button. */
export function ButtonLink({
  href,
  kind = 'default',
  children,
}: {
  href: string;
  kind?: Kind;
  children: ComponentChildren;
}) {
  return (
    <a class={`button ${kind}`} href={href}>
      {children}
    </a>
  );
}

/** The workflow of an insert, as the service names it (`insertWorkflowId` in src/domain/ids.ts; a test compares both). */
export const insertWorkflowOf = (productId: string): string => `regulator-insert-${productId}`;

/** URL of the last run that inserts a submission; null without such a run or without a Web UI. */
export function runUrl({ product_id, job_id }: Pick<Submission, 'product_id' | 'job_id'>): string | null {
  if (job_id === null) return null;
  return urlOf(`workflows/${encodeURIComponent(insertWorkflowOf(product_id))}/${encodeURIComponent(job_id)}`);
}

/** URL of all runs of an import, its own and its inserts: both carry its number (docs/web-ui.md). */
export const runsUrl = (importId: number): string | null =>
  urlOf(`workflows?query=${encodeURIComponent(`PackageImportId=${importId}`)}`);

function urlOf(path: string): string | null {
  const { temporal } = settings();
  if (temporal === null || !can('getInserting')) return null;
  return `${temporal.ui_url.replace(/\/$/, '')}/namespaces/${encodeURIComponent(temporal.namespace)}/${path}`;
}

export function RunLink({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a href={href} target="_blank" rel="noreferrer" title="In the Temporal Web UI">
      {children}
      <span aria-hidden="true">&nbsp;↗</span>
      <span class="hidden-text"> (Temporal Web UI, new window)</span>
    </a>
  );
}
