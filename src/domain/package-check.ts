/** The report of a dry run: the products as in its answer, and the unreadable files that they refer to. */
import type { DryRunProduct } from '../contract/types.ts';

export type CheckLine = { product: DryRunProduct } | { unreadable: UnreadableFile };

/** A file that products refer to and that cannot be read. */
export interface UnreadableFile {
  kind: 'attachment' | 'submitter';
  xmlFile: string;
  reason: string;
}
