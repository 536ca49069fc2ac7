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

const BEFORE_PRODUCTS = '{"products":[';
const BEFORE_UNREADABLE = '],"unreadable":[';
const END = ']}';

/** The report as a file, one JSON line per product or unreadable file, so that no process holds all of it. */
export async function* writtenCheck(
  products: AsyncIterable<DryRunProduct[]>,
  unreadable: readonly UnreadableFile[],
): AsyncGenerator<string> {
  yield BEFORE_PRODUCTS;
  let separator = '\n';
  for await (const page of products) {
    if (page.length > 0) yield separator + page.map((product) => JSON.stringify(product)).join(',\n');
    if (page.length > 0) separator = ',\n';
  }
  yield `\n${BEFORE_UNREADABLE}`;
  if (unreadable.length > 0) yield `\n${unreadable.map((file) => JSON.stringify(file)).join(',\n')}`;
  yield `\n${END}`;
}

/** @param pieces of the file's text */
export async function* readCheck(pieces: AsyncIterable<string>): AsyncGenerator<CheckLine> {
  let isProduct = true;
  for await (const line of linesOf(pieces)) {
    if (line === BEFORE_PRODUCTS || line === END) continue;
    if (line === BEFORE_UNREADABLE) isProduct = false;
    else {
      const item = JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line);
      yield isProduct ? { product: item } : { unreadable: item };
    }
  }
}

/** `node:readline` does not fit: it also ends a line at U+2028, which may stand inside a JSON text. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
