/** Summaries of imports, for lists and actions. */

import type { ImportSummary } from '../../contract/schemas/package-imports.ts';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import { noProducts } from '../../domain/submission.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { visibleSubmitters } from '../ownership.ts';
import { presentSummary } from '../presenters/package-import.ts';
import type { Caller } from '../tokens/access-token.ts';

export function createSummaries({ submissions }: Pick<GatewayDependencies['database'], 'submissions'>) {
  /** A summary for each of `records`. It counts only products that the caller may see. */
  return async function summarize(
    caller: Caller,
    records: readonly PackageImportRow[],
  ): Promise<(record: PackageImportRow) => ImportSummary> {
    const ids = records.map(({ id }) => id);
    const counts = await submissions.countByImport(ids, visibleSubmitters(caller));
    return (record) => presentSummary(record, counts.get(record.id) ?? noProducts());
  };
}
