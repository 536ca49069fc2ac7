/** The report of a dry run: the products as in its answer, and the files that were not read. */
import type { DryRunProduct, Reason } from '../contract/types.ts';

export type CheckLine = { product: DryRunProduct } | { unreadable: UnreadableFile };

/** A file that products refer to and that cannot be read, or `other`: XML that is in no folder of the layout. */
export interface UnreadableFile {
  kind: 'attachment' | 'submitter' | 'other';
  xmlFile: string;
  reasons: Reason[];
}
