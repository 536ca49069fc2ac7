import type { ComponentChildren } from 'preact';

/** A list of names with their values. An undefined value leaves its name out. */
export function Facts({ of }: { of: Readonly<Record<string, ComponentChildren>> }) {
  const facts = Object.entries(of).filter(([, value]) => value !== undefined);
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
