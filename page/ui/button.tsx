import type { ComponentChildren, JSX } from 'preact';

type Kind = 'default' | 'primary' | 'danger' | 'quiet';

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'icon'> {
  kind?: Kind;
  /** Something is under way: it cannot be pressed again, and says so. */
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

/** Looks like a button and leads somewhere. */
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
