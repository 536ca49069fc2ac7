import type { ComponentChildren } from 'preact';

/** To the Temporal Web UI, in a window of its own. */
export function RunLink({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a href={href} target="_blank" rel="noreferrer" title="In the Temporal Web UI">
      {children} <span aria-hidden="true">↗</span>
      <span class="hidden-text"> (Temporal Web UI, new window)</span>
    </a>
  );
}
