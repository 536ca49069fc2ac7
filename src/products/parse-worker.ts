/** Runs in a worker thread: parsing must never block the event loop of the process that asks for it. */
import { workerData } from 'piscina';
import type { ProductCheck } from '../domain/product-checks.ts';
import { type ParseResult, parseProduct } from './parse-product.ts';

/** What every file is read by. */
export interface ParseWorkerData {
  refusedChecks: readonly ProductCheck[];
}

const { refusedChecks } = workerData as ParseWorkerData;

export default function parse(bytes: Uint8Array): ParseResult {
  return parseProduct(bytes, { refused: refusedChecks });
}
