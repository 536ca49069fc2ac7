import type { ComponentChildren, JSX } from 'preact';

type Kind = 'default' | 'primary' | 'danger' | 'quiet';

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'icon'> {
  kind?: Kind;
  /** Its action is running, and the button is disabled. */
  busy?: boolean;
  children: ComponentChildren;
}

export function Button({ kind = 'default', busy = false, disabled, children, ...rest }: ButtonProps) {
  return (
    <button type="button" class={`button ${kind}`} disabled={busy || disabled} aria-busy={busy} {...rest}>
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
