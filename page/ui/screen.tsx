import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** The root of every screen. Its title is the heading, and the title of the window. */
export function Screen({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · Package imports`;
  }, [title]);
  return (
    <>
      <div class="screen-head cluster apart">
        <h1>{title}</h1>
        {actions}
      </div>
      {children}
    </>
  );
}
