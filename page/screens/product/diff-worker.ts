/** Compares in a worker, which keeps the page responsive: a product file has up to 4 MiB. */
import { textDiff } from './text-diff.ts';

self.onmessage = ({ data: [older, newer] }: MessageEvent<[string, string]>) => {
  self.postMessage(textDiff(older, newer));
};
