/** A word with a colour and a picture: nothing is told by colour alone. */
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import { type ImportStatus, STATUS, type SubmissionStatus, type Tone } from './status.ts';

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <Icon name={tone} />
      {children}
    </span>
  );
}

export function StatusBadge({ status }: { status: ImportStatus | SubmissionStatus }) {
  const { label, tone } = STATUS[status];
  return <Badge tone={tone}>{label}</Badge>;
}
