/** Worker thread that unpacks and parses product files, so that neither blocks the event loop of the process. */
import { workerData } from 'piscina';
import { gzipped, type PackedFile, unpacked } from '../../src/archive/packed-file.ts';
import type { ProductCheck } from '../../src/contract/product-checks.ts';
import { InvalidPackage } from '../../src/domain/client-errors.ts';
import { parseProduct } from '../../src/products/parse-product.ts';

/** Settings for every file. */
export interface ParseWorkerData {
  refusedChecks: readonly ProductCheck[];
}

/** Message between the threads. */
export type ParsedInThread =
  /** `result` is a ParseResult as JSON: a structured clone takes longer. */
  | { result: string; gzip: Uint8Array<ArrayBuffer> }
  /** Reason why the package is damaged. A plain text, because a thread boundary loses the class of an error. */
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
