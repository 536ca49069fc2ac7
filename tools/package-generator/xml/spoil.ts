/** Makes plainly written documents unreadable. */

/** Misspells the name in an end tag, about in the middle. */
export function breakTag(text: string): string {
  const at = text.indexOf('</', text.length / 2);
  return `${text.slice(0, at)}</X${text.slice(at + 2)}`;
}

/** @param portion how much is left, 0–1; the end of the root element never is */
export function cutOff(text: string, portion: string): string {
  return text.slice(0, Math.floor(text.lastIndexOf('</') * Number(portion)));
}

export function withDoctype(text: string, subset: string): string {
  return text.replace(/(\?>\n)/, `$1<!DOCTYPE EcigProductSubmission${subset}>\n`);
}

/** Puts something at the beginning of the design's description, which every product has. */
export function intoDescription(text: string, inserted: string): string {
  return text.replace(/<Description [^>]*>/, (tag) => tag + inserted);
}
