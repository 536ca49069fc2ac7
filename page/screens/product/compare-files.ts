/** Fetches two product files and compares them; nothing of it is loaded before somebody asks. */

import type { InsertStep } from '../../../src/contract/steps.ts';
import { productFile } from './product-file.ts';
import { readableXml } from './sections.ts';
import type { TextDiff } from './text-diff.ts';

export interface Comparison {
  older: number;
  newer: number;
  /** Null for the whole file. */
  section: InsertStep | null;
}

/** @returns null where they are too different @throws ApiError; Error when a file is no XML; AbortError */
export async function compareFiles(
  { older, newer, section }: Comparison,
  signal: AbortSignal,
): Promise<TextDiff | null> {
  const files = await Promise.all([older, newer].map((id) => productFile(id, signal)));
  const texts = files.map((xml) => readableXml(xml, section));
  return inWorker(texts, signal);
}

function inWorker(texts: string[], signal: AbortSignal): Promise<TextDiff | null> {
  const worker = new Worker(new URL('./diff-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<TextDiff | null>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<TextDiff | null>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message || 'The comparison has failed.'));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    worker.postMessage(texts);
  }).finally(() => worker.terminate());
}
