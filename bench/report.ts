/** The figures as a table for the terminal. */
import Table from 'cli-table3';
import {
  type Figure,
  floorsOf,
  isReached,
  ratiosBetween,
  ratiosOf,
  type Skipped,
  type Spread,
  valuesOf,
} from './figure.ts';

/** @param others the figures of another checkout, measured in turns with these */
export function reportOf(
  figures: readonly Figure[],
  others: readonly Figure[] | null,
  skipped: readonly Skipped[],
): string {
  const table = new Table({
    head: ['Figure', 'Ours', 'Floor', 'Ratio', 'Target', ...(others ? ['Ours / theirs'] : []), 'The floor'],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'right', 'right', 'right', 'right', ...(others ? (['right'] as const) : []), 'left'],
    colWidths: [40, null, null, null, null, ...(others ? [null] : []), 44],
    wordWrap: true,
  });
  for (const figure of figures) {
    const other = others?.find(({ name }) => name === figure.name);
    table.push([
      figure.name,
      middle(valuesOf(figure), figure.unit),
      middle(floorsOf(figure), figure.unit),
      whole(ratiosOf(figure)),
      targetOf(figure),
      ...(others ? [whole(ratiosBetween(figure, other))] : []),
      figure.floorIs ?? '',
    ]);
  }
  const missing = skipped.map(({ name, reason }) => `skipped: ${name}: ${reason}`);
  return [...(figures.length > 0 ? [table.toString()] : []), ...missing].join('\n');
}

function targetOf(figure: Figure): string {
  const { target } = figure;
  if (!target) return '';
  const bound = target.atMost === undefined ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
  const what = target.of === 'value' ? `${bound} ${figure.unit}`.trim() : `ratio ${bound}`;
  return `${what} ${isReached(figure) ? '✓' : '✗'}`;
}

function middle(spread: Spread | null, unit: string): string {
  return spread ? `${short(spread.median)} ${unit}`.trim() : '';
}

/** The median and the range. */
function whole(spread: Spread | null): string {
  if (!spread) return '';
  const { min, median, max } = spread;
  return min === max ? short(median) : `${short(median)} (${short(min)}–${short(max)})`;
}

function short(value: number): string {
  return Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
