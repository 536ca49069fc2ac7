/** A word with a colour and a picture: nothing is told by colour alone. */
import type { ComponentChildren } from 'preact';
import type { components } from '../api/generated/api.d.ts';
import { Icon } from './icon.tsx';

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle';

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <Icon name={tone} />
      {children}
    </span>
  );
}

type ImportStatus = components['schemas']['ImportSummary']['status'];
type SubmissionStatus = keyof components['schemas']['StatusCounts'];

/** What people read, and how it looks, for each status of the API. */
export const STATUS: Record<ImportStatus | SubmissionStatus, { label: string; tone: Tone }> = {
  extracting: { label: 'Reading', tone: 'busy' },
  inserting: { label: 'Inserting', tone: 'busy' },
  completed: { label: 'Completed', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  cancelled: { label: 'Cancelled', tone: 'idle' },
  local: { label: 'Not sent', tone: 'idle' },
  regulator_inserting: { label: 'Inserting', tone: 'busy' },
  regulator_inserted: { label: 'Inserted', tone: 'good' },
  regulator_insert_failed: { label: 'Failed', tone: 'bad' },
};

export function StatusBadge({ status }: { status: ImportStatus | SubmissionStatus }) {
  const { label, tone } = STATUS[status];
  return <Badge tone={tone}>{label}</Badge>;
}
