/** Dry runs as a table and a sentence. */
import { DRY_RUN_OUTCOMES, type DryRunJson, type DryRunProductJson } from '../client/dry-run.ts';
import { count } from '../domain/text.ts';
import { tableOf } from './table.ts';

/** Whether every product could be imported. */
export function wouldSucceed({ products }: DryRunJson): boolean {
  return products.every(({ outcome }) => outcome !== 'refused');
}

export function dryRunText({ products }: DryRunJson, width?: number): string {
  const rows = products.map((product) => [
    product.xml_file,
    product.product_id ?? '',
    product.outcome,
    detailsOf(product),
  ]);
  const some = DRY_RUN_OUTCOMES.map((outcome) => ({
    outcome,
    number: products.filter((product) => product.outcome === outcome).length,
  })).filter(({ number }) => number > 0);
  const sentence = some.map(({ outcome, number }) => `${number} ${outcome}`).join(', ');
  return [
    ...(rows.length > 0 ? [tableOf(['File', 'Product', 'Outcome', 'Details'], rows, width)] : []),
    `Dry run, nothing was imported: ${sentence || 'no products'}.`,
  ].join('\n');
}

function detailsOf({ changed_sections, reason, warnings, product_type }: DryRunProductJson): string {
  const details = [
    reason,
    changed_sections.length > 0 ? `changed: ${changed_sections.join(', ')}` : null,
    warnings.length > 0 ? `${count(warnings.length, 'warning')}: ${warnings.join('; ')}` : null,
  ].filter(Boolean);
  return details.length > 0 ? details.join('; ') : (product_type ?? '');
}
