/** The report of a dry run: the products as its answer has them, and the files that they refer to and that are unreadable. */
import type { DryRunProduct } from '../contract/types.ts';

export type CheckLine = { product: DryRunProduct } | { unreadable: UnreadableFile };

/** A file to which products refer, and which cannot be read. */
export interface UnreadableFile {
  kind: 'attachment' | 'submitter';
  xmlFile: string;
  reason: string;
}
