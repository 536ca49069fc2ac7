/** A filter with few values, each with its count. */

import type { Tone } from './badge.tsx';
import { Icon } from './badge.tsx';
import { formatNumber } from './format.ts';

export interface Chip<Name extends string> {
  name: Name;
  label: string;
  /** Absent while unknown. */
  count?: number | undefined;
  tone?: Tone;
}

interface ChipsProps<Name extends string> {
  /** Of the whole, for a screen reader. */
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
          class={tone}
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
