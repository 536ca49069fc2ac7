/** The answer to a dry run, from the report of the check. */
import { type PackageCheck, VERDICTS } from '../../domain/package-check.ts';
import type { DryRunResultJson } from '../schemas/dry-run.ts';
import { presentUnreadable, presentZipFile } from './package-import.ts';

export function presentDryRun(
  { sizeBytes }: { sizeBytes: number },
  { products, unreadable }: PackageCheck,
): DryRunResultJson {
  const counts = Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, products.filter((product) => product.verdict === verdict).length]),
  ) as DryRunResultJson['counts'];
  return {
    dry_run: true,
    zip_file: presentZipFile({ uploadedAt: new Date(), sizeBytes }),
    counts,
    products: products.map((product) => ({
      xml_file: product.xmlFile,
      product_id: product.productId,
      product_type: product.productType,
      outcome: product.verdict,
      changed_sections: product.changedSections,
      reason: product.reason,
      warnings: product.warnings,
    })),
    warnings: unreadable.map(presentUnreadable),
  };
}

export function dryRunMessage({ counts }: Pick<DryRunResultJson, 'counts'>): string {
  const parts = VERDICTS.map((verdict) => `${verdict}: ${counts[verdict]}`);
  return `Dry run, nothing was imported. ${parts.join(', ')}.`;
}
