/** Compares beside the page, which stays fluid meanwhile: a product file has up to 4 MiB. */
import { textDiff } from './text-diff.ts';

self.onmessage = ({ data: [older, newer] }: MessageEvent<[string, string]>) => {
  self.postMessage(textDiff(older, newer));
};
