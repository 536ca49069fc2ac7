/** Icons, tones, status badges and chips. Each icon and each colour has a word with it. */
import {
  type ImportStatus,
  STATUS_LABELS,
  type SubmissionStatus,
  type Verdict,
} from '../../src/contract/statuses.ts';
import { formatNumber } from './format.tsx';

const PATHS = {
  good: 'M3 8.5l3.5 3.5L13 5',
  bad: 'M4 4l8 8M12 4l-8 8',
  warn: 'M8 2.5L14.5 13.5H1.5zM8 6.5v3.5M8 11.8v.2',
  busy: 'M8 2a6 6 0 1 1-6 6',
  idle: 'M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12zM8 5v3l2 1.5',
  package: 'M2 5l6-3 6 3v6l-6 3-6-3zM2 5l6 3 6-3M8 8v6',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.75" aria-hidden="true">
      <path d={PATHS[name]} stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle';

const TONES: Record<ImportStatus | SubmissionStatus, Tone> = {
  extracting: 'busy',
  inserting: 'busy',
  completed: 'good',
  failed: 'bad',
  cancelled: 'idle',
  local: 'idle',
  regulator_inserting: 'busy',
  regulator_inserted: 'good',
  regulator_insert_failed: 'bad',
};

/** A value as people see it. */
export interface Mark {
  label: string;
  tone: Tone;
}

export const statusOf = (status: ImportStatus | SubmissionStatus): Mark => ({
  label: STATUS_LABELS[status],
  tone: TONES[status],
});

/** The outcomes of a dry run. */
export const VERDICT: Readonly<Record<Verdict, Mark>> = {
  refused: { label: 'Refused', tone: 'bad' },
  changed: { label: 'Changed', tone: 'busy' },
  new: { label: 'New', tone: 'good' },
  skipped: { label: 'Skipped', tone: 'warn' },
  unchanged: { label: 'Unchanged', tone: 'idle' },
};

export function Badge({ tone, label }: Mark) {
  return (
    <span class={`badge ${tone}`}>
      <Icon name={tone} />
      {label}
    </span>
  );
}

export interface Chip<Name extends string> {
  name: Name;
  label: string;
  /** Absent while unknown. */
  count?: number | undefined;
  tone?: Tone;
}

interface ChipsProps<Name extends string> {
  /** Label of the whole, for a screen reader. */
  label: string;
  chips: readonly Chip<Name>[];
  selected: Name;
  onSelect(name: Name): void;
}

export function Chips<Name extends string>({ label, chips, selected, onSelect }: ChipsProps<Name>) {
  // All counts have the width of the largest: a changed count moves nothing.
  const digits = Math.max(...chips.map(({ count }) => formatNumber(count ?? 0).length));
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form and no heading of one
    <div class="chips" role="group" aria-label={label}>
      {chips.map(({ name, label: text, count, tone }) => (
        <button
          key={name}
          type="button"
          class={`button ${tone ?? ''}`}
          aria-pressed={name === selected}
          onClick={() => onSelect(name)}
        >
          {tone && <Icon name={tone} />}
          {text}
          {count !== undefined && (
            <span class="number" style={{ minWidth: `${digits}ch` }}>
              {formatNumber(count)}
            </span>
          )}
        </button>
      ))}
    </div>
  );
}
