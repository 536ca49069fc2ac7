/** A word with a colour and a picture: nothing is told by colour alone. */
import type { ComponentChildren } from 'preact';
import type { ImportStatus, SubmissionStatus } from '../../src/contract/statuses.ts';
import { Icon } from './icon.tsx';
import { STATUS, type Tone } from './status.ts';

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
