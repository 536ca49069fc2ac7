/** The report of a dry run: the products as in its answer, and the files that were not read. */
import type { DryRunProduct, Reason } from '../contract/types.ts';
import type { ShownSubmissions, Submitters } from './product.ts';

/** The package of a dry run. */
export interface PackageToCheck {
  /** Names the report. */
  checkUuid: string;
  /** Storage key of the ZIP. */
  storageKey: string;
  /** Tenant whose stored attachments and submitter files count as known. */
  tenant: string;
  /** Submitters whose products the tenant may import; absent or null for all. */
  submitters?: Submitters;
  /** Submissions that products may be compared with; absent for no comparison. */
  diff?: ShownSubmissions;
}

export type CheckLine = { product: DryRunProduct } | { unreadable: UnreadableFile };

/** A file that products refer to and that cannot be read, or `other`: XML that is in no folder of the layout. */
export interface UnreadableFile {
  kind: 'attachment' | 'submitter' | 'other';
  xmlFile: string;
  reasons: Reason[];
}

/** The report as a file of JSON lines, one per product or unreadable file, so that no process holds all of it. */
export async function* writtenCheck(
  products: AsyncIterable<DryRunProduct[]>,
  unreadable: readonly UnreadableFile[],
): AsyncGenerator<string> {
  const lines = (items: CheckLine[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');
  for await (const page of products) yield lines(page.map((product) => ({ product })));
  yield lines(unreadable.map((file) => ({ unreadable: file })));
}

/**
 * `node:readline` does not fit: it also ends a line at U+2028, which may occur in a JSON text.
 *
 * @param pieces of the file's text
 */
export async function* readCheck(pieces: AsyncIterable<string>): AsyncGenerator<CheckLine> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}
