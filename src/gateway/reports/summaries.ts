/** Summaries of imports, for lists and actions. */

import type { ImportSummary } from '../../contract/schemas/package-imports.ts';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import { noProducts } from '../../domain/submission.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { presentSummary } from '../presenters/package-import.ts';

export function createSummaries({ submissions }: Pick<GatewayDependencies['database'], 'submissions'>) {
  /** A summary for each of `records`. */
  return async function summarize(
    records: readonly PackageImportRow[],
  ): Promise<(record: PackageImportRow) => ImportSummary> {
    const ids = records.map(({ id }) => id);
    const counts = await submissions.countByImport(ids);
    return (record) => presentSummary(record, counts.get(record.id) ?? noProducts());
  };
}
