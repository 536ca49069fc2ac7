/**
 * The report of a check as a file: one JSON line per product or unreadable file. It is written and read line by
 * line, so that no process holds all of it.
 */
import type { DryRunProduct } from '../contract/types.ts';
import type { CheckLine, UnreadableFile } from './package-check.ts';

const BEFORE_PRODUCTS = '{"products":[';
const BEFORE_UNREADABLE = '],"unreadable":[';
const END = ']}';

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

/**
 * Parses the file line by line.
 *
 * @param pieces of its text
 */
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
