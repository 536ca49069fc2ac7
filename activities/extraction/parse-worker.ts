/** Runs in a worker thread: neither unpacking nor parsing may block the event loop of the process that asks for it. */
import { workerData } from 'piscina';
import { gzipped, type PackedFile, unpacked } from '../../src/archive/packed-file.ts';
import type { ProductCheck } from '../../src/contract/product-checks.ts';
import { InvalidPackage } from '../../src/domain/errors.ts';
import { parseProduct } from '../../src/products/parse-product.ts';

/** What every file is read by. */
export interface ParseWorkerData {
  refusedChecks: readonly ProductCheck[];
}

/** What goes from thread to thread. */
export type ParsedInThread =
  /** `result` is a ParseResult as JSON: copying its objects one by one takes longer. */
  | { result: string; gzip: Uint8Array<ArrayBuffer> }
  /** Why the package is damaged: the class of an error would be lost. */
  | { damaged: string };

const { refusedChecks } = workerData as ParseWorkerData;

export default function parse(packed: PackedFile): ParsedInThread {
  try {
    const content = unpacked(packed);
    const result = JSON.stringify(parseProduct(content, { refused: refusedChecks }));
    return { result, gzip: gzipped(packed, content) };
  } catch (error) {
    if (error instanceof InvalidPackage) return { damaged: error.reason };
    throw error;
  }
}
