/** Dry runs as a table and a sentence. */

import { count } from '../src/common/text.ts';
import { VERDICTS } from '../src/contract/statuses.ts';
import type { DryRunResult } from '../src/contract/types.ts';
import { oneLine } from './screen.ts';
import { tableOf } from './table.ts';

/** Whether every product could be imported. */
export function wouldSucceed({ counts }: Pick<DryRunResult, 'counts'>): boolean {
  return counts.refused === 0;
}

export function dryRunText({ products, counts, warnings }: DryRunResult, width?: number): string {
  const rows = products.map((product) => [
    product.xml_file,
    product.product_id ?? '',
    product.outcome,
    detailsOf(product),
  ]);
  const some = VERDICTS.filter((verdict) => counts[verdict] > 0);
  const sentence = some.map((verdict) => `${counts[verdict]} ${verdict}`).join(', ');
  return [
    ...(rows.length > 0 ? [tableOf(['File', 'Product', 'Outcome', 'Details'], rows, width)] : []),
    ...warnings.map((warning) => `Warning: ${oneLine(warning)}`),
    `Dry run, nothing was imported: ${sentence || 'no products'}.`,
  ].join('\n');
}

function detailsOf(product: DryRunResult['products'][number]): string {
  const { changed_sections, reason, warnings, product_type } = product;
  const details = [
    reason,
    changed_sections.length > 0 ? `changed: ${changed_sections.join(', ')}` : null,
    warnings.length > 0 ? `${count(warnings.length, 'warning')}: ${warnings.join('; ')}` : null,
  ].filter(Boolean);
  // A reason or warning may be a sentence with its own full stop.
  return details.length > 0 ? details.join('; ').replaceAll('.; ', '. ') : (product_type ?? '');
}
