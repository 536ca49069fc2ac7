/** Runs in a worker thread: parsing must never block the event loop of the process that asks for it. */
import { type ParseResult, parseProduct } from './parse-product.ts';

export default function parse(bytes: Uint8Array): ParseResult {
  return parseProduct(bytes);
}
